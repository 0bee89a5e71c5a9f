// The function g of Magma and GOST 28147-89 on one block, constant time for any S-boxes, on general registers.
//
// All eight S-boxes at once: T_v is the word whose nibble j is pi_j(v); the result takes, nibble by nibble, the T_v
// with v = the nibble's value. That is a tree of selections by the nibble's four bits, each spread over the nibble:
//     level 0: T_0|T_1  T_2|T_3 ... by bit 0, then by bits 1 and 2; T_v and T_(v+8) share a 64-bit word; last, bit 3.
#pragma once

#include "core/bytes.hpp"
#include "magma/rounds.hpp"

namespace vsh::magma {
namespace {

struct NibbleSelect {
  uint64_t base[4];        // T_2i | T_(2i+8) << 32
  uint64_t difference[4];  // that ^ (T_(2i+1) | T_(2i+9) << 32)

  VSH_INLINE_MEMBER void prepare(const uint8_t rows[8][16]) {
    uint64_t t[8] = {};
    for (int v = 0; v < 16; ++v)
      for (int j = 0; j < 8; ++j) t[v % 8] |= uint64_t{rows[j][v]} << (4 * j + 32 * (v / 8));
    for (int i = 0; i < 4; ++i) {
      base[i] = t[2 * i];
      difference[i] = t[2 * i] ^ t[2 * i + 1];
    }
  }

  // g[k](a) = t(a + k) <<< 11, GOST R 34.12-2015 clause 5.2.
  VSH_INLINE_MEMBER uint32_t g(uint32_t k, uint32_t a) const {
    const uint32_t sum = a + k;
    const uint64_t x = sum | uint64_t{sum} << 32;
    const uint64_t m0 = spread(x), m1 = spread(x >> 1), m2 = spread(x >> 2);
    uint64_t f[4];
    for (int i = 0; i < 4; ++i) f[i] = base[i] ^ (difference[i] & m0);
    const uint64_t g0 = f[0] ^ ((f[0] ^ f[1]) & m1);
    const uint64_t g1 = f[2] ^ ((f[2] ^ f[3]) & m1);
    const uint64_t h = g0 ^ ((g0 ^ g1) & m2);
    const uint32_t low = static_cast<uint32_t>(h), high = static_cast<uint32_t>(h >> 32);
    const uint32_t y = low ^ ((low ^ high) & static_cast<uint32_t>(spread(x >> 3)));
    return y << 11 | y >> 21;
  }

 private:
  // The lowest bit of each nibble to all four.
  VSH_INLINE_MEMBER static uint64_t spread(uint64_t x) {
    x &= 0x1111111111111111;
    return (x << 4) - x;
  }
};

// The two halves of a block. Magma: a_1 || a_0 big-endian; GOST 28147-89: N_1 then N_2, little-endian, N_1 being a_0.
struct Halves {
  uint32_t a0, a1;
  VSH_INLINE_MEMBER static Halves load(const uint8_t* p, bool little_endian) {
    if (little_endian) return {load_le32(p), load_le32(p + 4)};
    return {load_be32(p + 4), load_be32(p)};
  }
  VSH_INLINE_MEMBER void store(uint8_t* p, bool little_endian) const {
    if (little_endian) {
      store_le32(p, a0);
      store_le32(p + 4, a1);
    } else {
      store_be32(p, a1);
      store_be32(p + 4, a0);
    }
  }
};

// 32 rounds on one block; g(k, a) is the round function. The last round does not swap (clause 5.4).
template <bool kDecrypt, class G>
VSH_INLINE Halves run_rounds(Halves x, const uint32_t* k, G&& g) {
  for (int i = 0; i < kNumRounds; i += 2) {
    x.a1 ^= g(k[key_of_round<kDecrypt>(i)], x.a0);
    x.a0 ^= g(k[key_of_round<kDecrypt>(i + 1)], x.a1);
  }
  return {x.a1, x.a0};
}

}  // namespace
}  // namespace vsh::magma
