// IMIT, the message authentication code of GOST 28147-89 (RFC 5830 clause 8, "режим выработки имитовставки").
#pragma once

#include <cstddef>
#include <cstdint>

#include "magma/imit_rounds.hpp"

namespace vsh::modes {

// CBC-MAC with 16 rounds: S = 0; S = rounds(S ^ T_i) for every block T_i; the code is taken from S. The last block is
// filled with zeros; a protocol must transmit the message's length elsewhere.
//
// Clause 8 requires at least two blocks and leaves shorter messages undefined. Here they are zero-filled to two blocks,
// as in CryptoPro CSP, the GOST engine and libgcrypt. The engine gives an empty message the code zero under every key,
// which is trivially forged; here an empty message is zero-filled, too.
//
// With CryptoPro key meshing (RFC 4357 section 2.3.2) the key changes after every 1024 bytes; S is not an IV and stays,
// as in CryptoPro CSP and the GOST engine.
class Imit {
 public:
  static constexpr size_t kBlock = 8;  // bytes
  static constexpr int kMinBlocks = 2;

  explicit Imit(const magma::RoundKeys& round_keys, const BlockKernel& kernel = *magma::ImitRounds::find_kernel({}),
                bool key_meshing = false) noexcept
      : first_(round_keys, kernel), rounds_(first_), key_meshing_(key_meshing) {
    reset();
  }
  const BlockKernel& kernel() const noexcept { return rounds_.kernel(); }
  void reset() noexcept;
  void update(const uint8_t* in, size_t len) noexcept;
  // imit: 8 bytes, N1 then N2, of which a code of l <= 64 bits takes the first. Then only reset is allowed.
  void final(uint8_t* imit) noexcept;

 private:
  void absorb(const uint8_t* in, size_t num_blocks) noexcept;
  void absorb_meshing(const uint8_t* in, size_t num_blocks) noexcept;

  magma::ImitRounds first_, rounds_;  // under the first key, and the present one
  bool key_meshing_;
  size_t in_section_;  // blocks under the present key
  uint8_t state_[kBlock];
  uint8_t partial_[kBlock];
  size_t partial_len_;
  int num_blocks_;  // absorbed so far; saturates at kMinBlocks
};

}  // namespace vsh::modes
