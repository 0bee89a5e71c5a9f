// A whole message of MGM whose blocks of the cipher lie side by side: H_1 .. H_(h+q+1), then E(Y_1) .. E(Y_q).
// Besides encrypting these, under one key or in lanes, the caller needs two calls of the cipher: for the first two
// counters, and for the tag.
#pragma once

#include "core/kernel.hpp"
#include "gf2n/mgm_counters.hpp"

namespace vsh::modes {

// Bytes behind the blocks that may be read, and have no influence: products take whole passes.
inline constexpr size_t kReadBehindBlocks = kMaxProductPass;
// Bytes of blocks, and of what may be read behind them, that Mgm has room for: up to a jumbo frame, whose 9000 bytes
// fill no whole number of passes.
inline constexpr size_t kShortMessage = 20 * 1024;

class MgmMessage {
 public:
  // n: the block size, bytes.
  MgmMessage(const ProductKernel& products, size_t n, size_t data_len, size_t len) noexcept
      : products_(products), n_(n), data_len_(data_len), len_(len) {}

  static size_t num_blocks(size_t n, size_t data_len, size_t len) noexcept {
    return mgm::blocks_of(data_len, n) + 2 * mgm::blocks_of(len, n) + 1;
  }
  size_t num_blocks() const noexcept { return num_blocks(n_, data_len_, len_); }

  // Writes the counters that the cipher makes the blocks of. y, z: Y_1 and Z_1.
  void write_counters(uint8_t* blocks, const uint8_t* y, const uint8_t* z) const noexcept {
    products_.write_left(blocks, n_, num_multipliers(), z);
    products_.write_right(text(blocks), n_, mgm::blocks_of(len_, n_), y);
  }
  // Return in `sum` the block whose encryption is the tag. `in` is read once. They leave kStackOfSum bytes of the stack
  // to erase.
  void seal(uint8_t* sum, const uint8_t* blocks, const uint8_t* data, uint8_t* out, const uint8_t* in) const noexcept {
    products_.seal(sum, {n_, data_len_, len_, blocks, blocks + num_multipliers() * n_, data, in, out});
  }
  // The plaintext is at text(blocks), to be released if the tag is right.
  void open(uint8_t* sum, uint8_t* blocks, const uint8_t* data, const uint8_t* in) const noexcept {
    products_.open(sum, {n_, data_len_, len_, blocks, text(blocks), data, in, text(blocks)});
  }
  uint8_t* text(uint8_t* blocks) const noexcept { return blocks + num_multipliers() * n_; }

 private:
  size_t num_multipliers() const noexcept { return mgm::blocks_of(data_len_, n_) + mgm::blocks_of(len_, n_) + 1; }

  const ProductKernel& products_;
  const size_t n_, data_len_, len_;
};

// Below the caller of seal and open: with what the products leave.
inline constexpr size_t kStackOfSum = 4096;

}  // namespace vsh::modes
