// The step of IMIT, GOST 28147-89 (RFC 5830 clause 8): rounds 1 to 16 of the cipher. Constant time for any S-boxes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "magma/round_keys.hpp"

namespace vsh::magma {

class ImitRounds {
 public:
  explicit ImitRounds(const RoundKeys& round_keys) noexcept;
  ~ImitRounds();  // wipes
  ImitRounds(const ImitRounds&) = default;
  ImitRounds& operator=(const ImitRounds&) = default;

  // state = rounds(state ^ block) for each of num_blocks blocks of 8 bytes, as N1 then N2, little-endian.
  void absorb(uint8_t state[8], const uint8_t* in, size_t num_blocks) const noexcept;

 private:
  uint32_t k_[8];
  uint32_t coefficients_[16];  // of the S-boxes, one_block.hpp
};

}  // namespace vsh::magma
