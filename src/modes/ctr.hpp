// CTR, GOST R 34.13-2015 clause 5.2 ("режим гаммирования").
#pragma once

#include "modes/counter_mode.hpp"

namespace vsh::modes {

// CTR_1 = IV || 0^(n/2), CTR_(i+1) = CTR_i + 1 modulo 2^n, over the whole block; C_i = P_i ^ T_s(E(CTR_i)).
class CtrCounter {
 public:
  // iv: half a block.
  CtrCounter(const BlockEngine& engine, const uint8_t* iv) noexcept;
  void add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t first,
           size_t num_units) const;

 private:
  uint8_t initial_[kMaxBlock];
};

using Ctr = CounterMode<CtrCounter>;

}  // namespace vsh::modes
