// Kuznyechik's canonical round keys, GOST R 34.12-2015 clause 4.3 (RFC 7801 clause 4.3).
#pragma once

#include <cstdint>

#include "core/bytes.hpp"

namespace vsh::kuznyechik {

inline constexpr int kRounds = 10;

// k[i] is K_(i+1) as bytes in the order of the standard's text: k[i][0] is the most significant byte (a_15).
struct RoundKeys {
  uint8_t k[kRounds][16];
};

// Constant time. key: 32 bytes.
void expand_key(RoundKeys& round_keys, const uint8_t* key) noexcept;

namespace {

// K_1 || K_2 = K; (K_(2i+1), K_(2i+2)) = F[C_8i] ... F[C_(8(i-1)+1)](K_(2i-1), K_2i), i = 1 .. 4, where
// F[k](a_1, a_0) = (LSX[k](a_1) ^ a_0, a_1).
// For any form of a block: f(i, a_1, a_0) is LSX[C_(i+1)](a_1) ^ a_0, store(out, a) writes 16 bytes.
template <class B, class F, class Store>
VSH_INLINE void expand_key_by(RoundKeys& round_keys, B a1, B a0, F f, Store store) {
  store(round_keys.k[0], a1);
  store(round_keys.k[1], a0);
  for (int i = 0; i < 32; ++i) {
    const B next = f(i, a1, a0);
    a0 = a1;
    a1 = next;
    if (i % 8 != 7) continue;
    store(round_keys.k[i / 4 + 1], a1);
    store(round_keys.k[i / 4 + 2], a0);
  }
}

}  // namespace

}  // namespace vsh::kuznyechik
