// IMIT, the message authentication code of GOST 28147-89 (RFC 5830 clause 8, "режим выработки имитовставки").
#pragma once

#include <cstddef>
#include <cstdint>

#include "magma/round_keys.hpp"

namespace vsh::modes {

// CBC-MAC with 16 rounds: S = 0; S = rounds(S ^ T_i) for every block T_i; the code is taken from S. The last
// block is filled with zeros. Clause 8 asks for two blocks at least; a shorter message is filled with zeros
// to two blocks, as other implementations do for 1 .. 8 bytes. They return an all-zero code for an empty
// message, which anyone could make; here the rule holds for it too. (Zeros at the end of a message are not
// told from filling: RFC 5830 leaves the length to the protocol.)
class Imit {
 public:
  static constexpr size_t kBlock = 8;  // bytes
  static constexpr int kMinBlocks = 2;

  // round_keys must outlive this.
  explicit Imit(const magma::RoundKeys& round_keys) noexcept : round_keys_(round_keys) { reset(); }
  void reset() noexcept;
  void update(const uint8_t* in, size_t len) noexcept;
  // imit: 8 bytes, N1 then N2, of which a code of l <= 64 bits takes the first. Then only reset is allowed.
  void final(uint8_t* imit) noexcept;

 private:
  void absorb(const uint8_t* block) noexcept;

  const magma::RoundKeys& round_keys_;
  uint8_t state_[kBlock];
  uint8_t partial_[kBlock];
  size_t partial_len_;
  int num_blocks_;  // absorbed so far; counts no further than kMinBlocks
};

}  // namespace vsh::modes
