// Addition modulo 2^512 of integers whose byte 0 is the least significant. Constant time.
//
// The carry trap: when a word of one summand is 2^64-1 and a carry comes in, sum and summand are equal, and a test of
// only "sum < summand" loses the carry. Here both additions of a word are tested.
#pragma once

#include "core/bytes.hpp"

namespace vsh::streebog {

// a += b, 64 bytes each.
VSH_INLINE void add_512(uint8_t* a, const uint8_t* b) {
  uint64_t carry = 0;
  for (int w = 0; w < 8; ++w) {
    const uint64_t x = load_le64(a + 8 * w);
    const uint64_t y = load_le64(b + 8 * w);
    const uint64_t xy = x + y;
    const uint64_t sum = xy + carry;
    carry = static_cast<uint64_t>(xy < x) | static_cast<uint64_t>(sum < xy);
    store_le64(a + 8 * w, sum);
  }
}

// a += x.
VSH_INLINE void add_bits(uint8_t* a, uint64_t x) {
  for (int w = 0; w < 8; ++w) {
    const uint64_t sum = load_le64(a + 8 * w) + x;
    x = static_cast<uint64_t>(sum < x);
    store_le64(a + 8 * w, sum);
  }
}

}  // namespace vsh::streebog
