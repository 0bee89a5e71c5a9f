// MAC, GOST R 34.13-2015 clause 5.6 ("режим выработки имитовставки"); the construction of CMAC (OMAC1).
#pragma once

#include "modes/blocks.hpp"

namespace vsh::modes {

// out = 2 * in in GF(2^n), clause 5.6.1, of blocks of n = 8 or 16 bytes: K_1 = 2R, K_2 = 4R, R = E(0^n). out == in allowed.
void double_block(uint8_t* out, const uint8_t* in, size_t n) noexcept;

// C_0 = 0^n; C_i = E(P_i ^ C_(i-1)), i < q; MAC = T_s(E(P*_q ^ C_(q-1) ^ K*)), where a whole last block is
// P*_q = P_q with K* = K_1, and any other, an empty message included, is P*_q = P_q || 1 || 0... (padding
// procedure 3, clause 4.1.3) with K* = K_2.
class Mac {
 public:
  // One block at a time: uses the engine's one-block kernel.
  explicit Mac(const BlockEngine& engine);
  void reset() noexcept;
  void update(const uint8_t* in, size_t len);
  // mac: a whole block, of which T_s are the first s bytes. Then only reset is allowed.
  void final(uint8_t* mac);

 private:
  void absorb(const uint8_t* block);

  const BlockEngine& engine_;
  uint8_t k1_[kMaxBlock], k2_[kMaxBlock];  // clause 5.6.1
  uint8_t chain_[kMaxBlock];               // C_i
  uint8_t last_[kMaxBlock];                // held back: it may be the last block
  size_t last_len_;
};

}  // namespace vsh::modes
