// Reduces a sum of products (core/kernel.hpp) to an element of GF(2^64) or GF(2^128) (RFC 9058 clause 3).
#pragma once

#include "core/bytes.hpp"

namespace vsh::gf2n {

inline constexpr size_t kMaxSumWords = 4;

namespace {

struct Double {
  uint64_t low, high;
};

// Returns x times w^a + w^b + w + 1.
template <int a, int b>
VSH_INLINE Double times_tail(uint64_t x) {
  return {x ^ x << 1 ^ x << b ^ x << a, x >> 63 ^ x >> (64 - b) ^ x >> (64 - a)};
}

// Writes sum modulo w^128 + w^7 + w^2 + w + 1, or w^64 + w^4 + w^3 + w + 1, as a block of 16 or 8 bytes. No branch or
// address depends on the sum.
template <size_t n>
VSH_INLINE void reduce(uint8_t* block, const uint64_t* sum) {
  if constexpr (n == 8) {
    const Double t = times_tail<4, 3>(sum[1]);
    store_be64(block, sum[0] ^ t.low ^ times_tail<4, 3>(t.high).low);
  } else {
    // Word 3 lies 128 powers above word 1, so its tail falls on words 1 and 2; the part in word 2 is reduced with
    // word 2.
    const Double t3 = times_tail<7, 2>(sum[3]);
    const Double t2 = times_tail<7, 2>(sum[2] ^ t3.high);
    store_be64(block, sum[1] ^ t3.low ^ t2.high);
    store_be64(block + 8, sum[0] ^ t2.low);
  }
}
VSH_INLINE void reduce(uint8_t* block, size_t n, const uint64_t* sum) {
  n == 16 ? reduce<16>(block, sum) : reduce<8>(block, sum);
}

}  // namespace
}  // namespace vsh::gf2n
