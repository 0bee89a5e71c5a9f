// CNT, the counter mode of GOST 28147-89 (RFC 5830 clause 6, "режим гаммирования").
#pragma once

#include "modes/counter_mode.hpp"

namespace vsh::modes {

// RFC 5830 clause 6.1. The encrypted IV fills N3 (its low half) and N4, which then count as magma/cnt_counters.hpp
// says. RFC 4357's key meshing is in modes/key_meshing.hpp.
class CntCounter {
 public:
  // iv: 8 bytes.
  CntCounter(const BlockEngine& engine, const uint8_t* iv);
  // s is the block, 8 bytes.
  void add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t first,
           size_t num_units) const;
  // Restarts with N3 and N4 after so many steps, encrypted.
  void restart(const BlockEngine& engine, uint64_t steps);

 private:
  uint8_t start_[8];  // N3 and N4 before the first step
};

using Cnt = CounterMode<CntCounter>;

}  // namespace vsh::modes
