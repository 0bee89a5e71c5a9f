// Kuznyechik's canonical round keys, GOST R 34.12-2015 clause 4.3 (RFC 7801 clause 4.3).
#pragma once

#include <cstdint>

namespace vsh {
struct BlockKernel;
}

namespace vsh::kuznyechik {

inline constexpr int kRounds = 10;

// k[i] is K_(i+1) as bytes in the order of the standard's text: k[i][0] is the most significant byte (a_15).
struct RoundKeys {
  static constexpr const char* kFamily = "kuznyechik";
  uint8_t k[kRounds][16];
};

// Constant time; leaves no key material on the stack. key: 32 bytes.
void expand_key(RoundKeys& round_keys, const uint8_t* key) noexcept;
// The same with the row's instructions, if row is not null and expands keys.
void expand_key_by(const BlockKernel* row, RoundKeys& round_keys, const uint8_t* key) noexcept;

}  // namespace vsh::kuznyechik
