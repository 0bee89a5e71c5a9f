// MAC, GOST R 34.13-2015 clause 5.6 ("режим выработки имитовставки"); the construction of CMAC (OMAC1).
#pragma once

#include <algorithm>
#include <cstring>

#include "modes/blocks.hpp"

namespace vsh::modes {

// out = 2 * in in GF(2^n), clause 5.6.1, of blocks of n = 8 or 16 bytes: K_1 = 2R, K_2 = 4R, R = E(0^n). out == in
// allowed.
void double_block(uint8_t* out, const uint8_t* in, size_t n) noexcept;

// Shared by codes of this construction: the chain C_i, and the last block, which is held back because a subkey is added
// to it.
class MacChain {
 public:
  explicit MacChain(size_t block_size) noexcept : n_(block_size) { reset(); }
  void reset() noexcept;
  // encrypt(block): E of the block in place, called for one block after the other.
  template <class Encrypt>
  void update(const uint8_t* in, size_t len, const Encrypt& encrypt) {
    if (len == 0) return;
    const size_t step = std::min(len, n_ - last_len_);
    std::memcpy(last_ + last_len_, in, step);
    last_len_ += step, in += step, len -= step;
    if (len == 0) return;
    absorb(last_, encrypt);
    for (; len > n_; in += n_, len -= n_) absorb(in, encrypt);
    std::memcpy(last_, in, len);
    last_len_ = len;
  }
  // k1: the subkey of a whole last block; k2: of any other. mac: a block.
  template <class Encrypt>
  void final(uint8_t* mac, const uint8_t* k1, const uint8_t* k2, const Encrypt& encrypt) {
    xor_bytes(chain_, chain_, last_len_ < n_ ? k2 : k1, n_);
    pad();
    absorb(last_, encrypt);
    std::memcpy(mac, chain_, n_);
  }

 private:
  template <class Encrypt>
  void absorb(const uint8_t* block, const Encrypt& encrypt) {
    xor_bytes(chain_, chain_, block, n_);
    encrypt(chain_);
  }
  void pad() noexcept;  // procedure 3, clause 4.1.3

  size_t n_;
  uint8_t chain_[kMaxBlock];  // C_i
  uint8_t last_[kMaxBlock];
  size_t last_len_;
};

// C_0 = 0^n; C_i = E(P_i ^ C_(i-1)), i < q; MAC = T_s(E(P*_q ^ C_(q-1) ^ K*)), where a whole last block is
// P*_q = P_q with K* = K_1, and any other, an empty message included, is P*_q = P_q || 1 || 0... (padding
// procedure 3, clause 4.1.3) with K* = K_2.
class Mac {
 public:
  // One block at a time: uses the engine's one-block kernel.
  explicit Mac(const BlockEngine& engine);
  // zero_encrypted: E(0^n), if it is known already.
  Mac(const BlockEngine& engine, const uint8_t* zero_encrypted) noexcept;
  const BlockKernel& kernel() const noexcept { return engine_->one(); }
  void set_engine(const BlockEngine& engine) noexcept { engine_ = &engine; }
  void reset() noexcept { chain_.reset(); }
  void update(const uint8_t* in, size_t len);
  // mac: a whole block, of which T_s are the first s bytes. Then only reset is allowed.
  void final(uint8_t* mac);

 private:
  void make_subkeys(const uint8_t* zero_encrypted) noexcept;
  auto encrypt() const {
    return [this](uint8_t* block) { engine_->encrypt_one(block, block); };
  }

  const BlockEngine* engine_;
  MacChain chain_;
  uint8_t k1_[kMaxBlock], k2_[kMaxBlock];  // clause 5.6.1
};

}  // namespace vsh::modes
