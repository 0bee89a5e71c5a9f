#include "modes/imit.hpp"

#include <algorithm>
#include <cstring>

#include "modes/key_meshing.hpp"

namespace vsh::modes {

void Imit::reset() noexcept {
  std::memset(state_, 0, sizeof state_);
  partial_len_ = 0;
  num_blocks_ = 0;
  if (key_meshing_) rounds_ = first_;
  in_section_ = 0;
}

void Imit::absorb(const uint8_t* in, size_t num_blocks) noexcept {
  key_meshing_ ? absorb_meshing(in, num_blocks) : rounds_.absorb(state_, in, num_blocks);
  num_blocks_ = static_cast<int>(std::min<size_t>(num_blocks_ + num_blocks, kMinBlocks));
}

void Imit::absorb_meshing(const uint8_t* in, size_t num_blocks) noexcept {
  constexpr size_t kSection = kMeshingSection / kBlock;
  while (num_blocks) {
    if (in_section_ == kSection) {
      Wiped<uint8_t[sizeof kMeshingConstant]> key;
      rounds_.decrypt(key.value, kMeshingConstant, sizeof kMeshingConstant / kBlock);
      rounds_.change_key(key.value);
      in_section_ = 0;
    }
    const size_t num = std::min(num_blocks, kSection - in_section_);
    rounds_.absorb(state_, in, num);
    in += num * kBlock, num_blocks -= num, in_section_ += num;
  }
}

void Imit::update(const uint8_t* in, size_t len) noexcept {
  if (len == 0) return;
  if (partial_len_) {
    const size_t step = std::min(len, kBlock - partial_len_);
    std::memcpy(partial_ + partial_len_, in, step);
    partial_len_ += step, in += step, len -= step;
    if (partial_len_ < kBlock) return;
    absorb(partial_, 1);
    partial_len_ = 0;
  }
  absorb(in, len / kBlock);
  partial_len_ = len % kBlock;
  if (partial_len_) std::memcpy(partial_, in + len - partial_len_, partial_len_);
}

void Imit::final(uint8_t* imit) noexcept {
  static constexpr uint8_t kZeros[kBlock] = {};
  if (partial_len_) update(kZeros, kBlock - partial_len_);
  while (num_blocks_ < kMinBlocks) absorb(kZeros, 1);
  std::memcpy(imit, state_, kBlock);
}

}  // namespace vsh::modes
