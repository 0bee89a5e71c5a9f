#include "modes/imit.hpp"

#include <algorithm>
#include <cstring>

#include "core/bytes.hpp"

namespace vsh::modes {

void Imit::reset() noexcept {
  std::memset(state_, 0, sizeof state_);
  partial_len_ = 0;
  num_blocks_ = 0;
}

void Imit::absorb(const uint8_t* block) noexcept {
  store_le64(state_, load_le64(state_) ^ load_le64(block));
  magma::imit_rounds(round_keys_, state_);
  num_blocks_ = std::min(num_blocks_ + 1, kMinBlocks);
}

void Imit::update(const uint8_t* in, size_t len) noexcept {
  if (partial_len_) {
    const size_t step = std::min(len, kBlock - partial_len_);
    std::memcpy(partial_ + partial_len_, in, step);
    partial_len_ += step, in += step, len -= step;
    if (partial_len_ < kBlock) return;
    absorb(partial_);
    partial_len_ = 0;
  }
  for (; len >= kBlock; in += kBlock, len -= kBlock) absorb(in);
  if (len) std::memcpy(partial_, in, len);
  partial_len_ = len;
}

void Imit::final(uint8_t* imit) noexcept {
  static constexpr uint8_t kZeros[kBlock] = {};
  if (partial_len_) update(kZeros, kBlock - partial_len_);
  while (num_blocks_ < kMinBlocks) absorb(kZeros);
  std::memcpy(imit, state_, kBlock);
}

}  // namespace vsh::modes
