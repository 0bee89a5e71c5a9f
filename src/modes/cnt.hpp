// CNT, the counter mode of GOST 28147-89 (RFC 5830 clause 6, "режим гаммирования").
#pragma once

#include "modes/counter_mode.hpp"

namespace vsh::modes {

// RFC 5830 clause 6.1. The encrypted IV fills N3 (its low half) and N4. Before each block of gamma
//   N3 = N3 + C2 modulo 2^32,        C2 = 01010101 hex,
//   N4 = N4 + C1 modulo 2^32 - 1,    C1 = 01010104 hex,
// and (N3, N4) is encrypted. RFC 4357's key meshing is not part of this mode.
class CntCounter {
 public:
  static constexpr uint32_t kC1 = 0x01010104;
  static constexpr uint32_t kC2 = 0x01010101;
  // [+]' of RFC 5830, addition modulo 2^32 - 1: a sum of 2^32 or more loses 2^32 and gains 1, a sum of 2^32 - 1
  // stays. Zero therefore has two names, and a sum with C1 is never called 0.
  static constexpr uint32_t add_mod(uint32_t a, uint32_t b) noexcept {
    const uint32_t sum = a + b;
    return sum + (sum < b);
  }

  // iv: 8 bytes.
  CntCounter(const BlockEngine& engine, const uint8_t* iv);
  // s is the block, 8 bytes.
  void add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t first,
           size_t num_units) const;

 private:
  uint32_t n3_, n4_;  // before the first step
};

using Cnt = CounterMode<CntCounter>;

}  // namespace vsh::modes
