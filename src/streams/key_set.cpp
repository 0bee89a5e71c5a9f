#include "streams/key_set.hpp"

#include <algorithm>
#include <new>

#include "core/executor.hpp"
#include "core/wipe.hpp"

namespace vsh::streams {

std::vector<const BlockKernel*> lane_kernels(const Cipher& cipher) {
  std::vector<const BlockKernel*> kernels;
  const auto add = [&](const BlockKernel* row) {
    if (row->lanes_schedule_size && std::find(kernels.begin(), kernels.end(), row) == kernels.end())
      kernels.push_back(row);
  };
  add(&cipher.kernels.ladder.many());
  if (cipher.kernels.forced) return kernels;
  for (const BlockKernel* row : block_kernels(cipher.algorithm()))
    if (runnable(row->info) && row->info.constant_time) add(row);
  return kernels;
}

size_t LaneKeys::size(const BlockKernel& kernel) noexcept {
  return aligned_size(kernel.lanes_schedule_size) + aligned_size(kernel.info.lanes * kernel.block_size);
}

void LaneKeys::encrypt_zero(uint8_t* at, const BlockKernel& kernel) {
  uint8_t* const zero = at + aligned_size(kernel.lanes_schedule_size);
  std::memset(zero, 0, kernel.info.lanes * kernel.block_size);
  kernel.encrypt_lanes(at, zero, zero, 1);
}

KeySet::KeySet(const Cipher& cipher, const uint8_t* keys, size_t num_keys)
    : cipher_(cipher), kernels_(lane_kernels(cipher)), num_keys_(num_keys), keys_(num_keys * kKeyBytes) {
  if (num_keys == 0) return;
  std::memcpy(keys_.data(), keys, keys_.size());
  if (kernels_.empty()) return;
  const BlockKernel& kernel = *kernels_[0];
  const size_t lanes = kernel.info.lanes, size = LaneKeys::size(kernel);
  const size_t num_groups = num_keys / lanes + (num_keys % lanes != 0);
  if (num_groups > SIZE_MAX / size) throw std::bad_alloc();
  groups_ = SecretBuffer(num_groups * size);
  changed_.resize(num_groups);
  to_prepare_.reserve(num_groups);
  pointers_.resize(lanes);
  for_ranges(num_groups, 1, cipher.threads, [&](size_t begin, size_t end) {
    std::vector<const uint8_t*> pointers(lanes);
    for (size_t g = begin; g < end; ++g) prepare_group(g, pointers);
    wipe_stack(lanes_stack(lanes, kernel.block_size));
  });
}

void KeySet::prepare_group(size_t g, std::vector<const uint8_t*>& pointers) noexcept {
  const BlockKernel& kernel = *kernels_[0];
  const size_t lanes = kernel.info.lanes;
  uint8_t* const at = groups_.data() + g * LaneKeys::size(kernel);
  for (size_t i = 0; i < lanes; ++i) pointers[i] = g * lanes + i < num_keys_ ? key(g * lanes + i) : nullptr;
  LaneKeys::prepare(at, kernel, pointers.data(), cipher_);
  LaneKeys::encrypt_zero(at, kernel);
}

void KeySet::replace(size_t slot, const uint8_t* key) noexcept {
  std::memcpy(keys_.data() + slot * kKeyBytes, key, kKeyBytes);
  if (kernels_.empty()) return;
  const size_t g = slot / kernels_[0]->info.lanes;
  if (changed_[g]) return;
  changed_[g] = true;
  to_prepare_.push_back(g);  // has the capacity
}

void KeySet::prepare_changed() noexcept {
  if (to_prepare_.empty()) return;
  for (const size_t g : to_prepare_) {
    prepare_group(g, pointers_);
    changed_[g] = false;
  }
  to_prepare_.clear();
  wipe_stack(lanes_stack(kernels_[0]->info.lanes, kernels_[0]->block_size));
}

}  // namespace vsh::streams
