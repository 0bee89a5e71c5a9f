// IMIT, the message authentication code of GOST 28147-89 (RFC 5830 clause 8, "режим выработки имитовставки").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "magma/imit_rounds.hpp"

namespace vsh::modes {

// CBC-MAC with 16 rounds: S = 0; S = rounds(S ^ T_i) for every block T_i; the code is taken from S. The last block is
// filled with zeros; a protocol must transmit the message's length elsewhere.
//
// Clause 8 requires at least two blocks and leaves shorter messages undefined. Here they are zero-filled to two blocks,
// as in CryptoPro CSP, the GOST engine and libgcrypt. The engine gives an empty message the code zero under every key,
// which is trivially forged; here an empty message is zero-filled, too.
//
// ImitSum is S and what has not been added to it. absorb(state, in, num_blocks): state = rounds(state ^ block) for each
// block, and does not throw.
class ImitSum {
 public:
  static constexpr size_t kBlock = 8;  // bytes
  static constexpr int kMinBlocks = 2;

  template <class Absorb>
  void update(const uint8_t* in, size_t len, const Absorb& absorb) noexcept {
    if (len == 0) return;
    if (partial_len_) {
      const size_t step = std::min(len, kBlock - partial_len_);
      std::memcpy(partial_ + partial_len_, in, step);
      partial_len_ += step, in += step, len -= step;
      if (partial_len_ < kBlock) return;
      add(partial_, 1, absorb);
    }
    add(in, len / kBlock, absorb);
    partial_len_ = len % kBlock;
    if (partial_len_) std::memcpy(partial_, in + len - partial_len_, partial_len_);
  }
  // imit: 8 bytes.
  template <class Absorb>
  void final(uint8_t* imit, const Absorb& absorb) noexcept {
    static constexpr uint8_t kZeros[kBlock] = {};
    if (partial_len_) update(kZeros, kBlock - partial_len_, absorb);
    while (num_blocks_ < kMinBlocks) add(kZeros, 1, absorb);
    std::memcpy(imit, state_, kBlock);
  }

 private:
  template <class Absorb>
  void add(const uint8_t* in, size_t num_blocks, const Absorb& absorb) noexcept {
    absorb(state_, in, num_blocks);
    num_blocks_ = static_cast<int>(std::min<size_t>(num_blocks_ + num_blocks, kMinBlocks));
  }

  uint8_t state_[kBlock] = {};
  uint8_t partial_[kBlock];
  size_t partial_len_ = 0;
  int num_blocks_ = 0;  // absorbed so far; saturates at kMinBlocks
};

// With CryptoPro key meshing (RFC 4357 section 2.3.2) the key changes after every 1024 bytes; S is not an IV and stays,
// as in CryptoPro CSP and the GOST engine.
class Imit {
 public:
  static constexpr size_t kBlock = ImitSum::kBlock;

  explicit Imit(const magma::RoundKeys& round_keys, const BlockKernel& kernel = *magma::ImitRounds::find_kernel({}),
                bool key_meshing = false) noexcept
      : first_(round_keys, kernel), rounds_(first_), key_meshing_(key_meshing) {}
  const BlockKernel& kernel() const noexcept { return rounds_.kernel(); }
  void reset() noexcept;
  void update(const uint8_t* in, size_t len) noexcept;
  // imit: 8 bytes, N1 then N2, of which a code of l <= 64 bits takes the first. Then only reset is allowed.
  void final(uint8_t* imit) noexcept;

 private:
  void absorb(uint8_t* state, const uint8_t* in, size_t num_blocks) noexcept;

  magma::ImitRounds first_, rounds_;  // under the first key, and the present one
  bool key_meshing_;
  size_t in_section_ = 0;  // blocks under the present key
  ImitSum sum_;
};

}  // namespace vsh::modes
