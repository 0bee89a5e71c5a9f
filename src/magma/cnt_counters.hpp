// The counters of CNT, GOST 28147-89 (RFC 5830 clause 6.1). Before each block of keystream (gamma in GOST)
//     N3 = N3 + C2 modulo 2^32,        C2 = 01010101 hex,
//     N4 = N4 + C1 modulo 2^32 - 1,    C1 = 01010104 hex,
// and the block N3, N4 is encrypted.
#pragma once

#include "core/bytes.hpp"

namespace vsh::magma {
namespace {

inline constexpr uint32_t kC1 = 0x01010104;
inline constexpr uint32_t kC2 = 0x01010101;

// [+]' of RFC 5830, addition modulo 2^32 - 1: a sum of 2^32 or more loses 2^32 and gains 1, a sum of 2^32 - 1 stays.
// Zero therefore has two representations, and a sum with C1 is never 0. Associative.
VSH_INLINE constexpr uint32_t add_mod(uint32_t a, uint32_t b) {
  const uint32_t sum = a + b;
  return sum + (sum < b);
}

// x modulo 2^32 - 1, which is 0 only for x = 0: the result of any number of such additions. No division, whose time
// could depend on x.
VSH_INLINE constexpr uint32_t reduce(uint64_t x) {
  constexpr uint64_t kM = 0xffffffff;
  x = (x & kM) + (x >> 32);
  return static_cast<uint32_t>((x & kM) + (x >> 32));
}
static_assert(reduce(0) == 0 && reduce(0xffffffff) == 0xffffffff && reduce(0x100000000) == 1);
static_assert(reduce(UINT64_MAX) == 0xffffffff);

struct CntCounters {
  uint32_t n3, n4;

  // Both as bytes: N3, N4, little-endian.
  VSH_INLINE_MEMBER static CntCounters load(const uint8_t* p) { return {load_le32(p), load_le32(p + 4)}; }

  VSH_INLINE_MEMBER constexpr CntCounters after(uint64_t steps) const {
    return {n3 + static_cast<uint32_t>(steps) * kC2,
            reduce(n4 + uint64_t{reduce(steps)} * kC1)};  // the sum is below 2^57
  }
};

}  // namespace
}  // namespace vsh::magma
