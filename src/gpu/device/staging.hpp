// Small uploads from pageable memory pass through page-locked memory of their queue: the caller's is free at once, no
// call waits, and no driver keeps copies of keys in places of its own.
#pragma once

#include <cstring>
#include <memory>

#include "core/wipe.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {

class Staging {
 public:
  static constexpr size_t kMaxUpload = 64 * 1024;

  explicit Staging(Device& device) noexcept : device_(device) {}
  bool has_room(size_t len) const noexcept { return len <= kCapacity - used_; }

  // A copy, which stays until clear().
  const void* add(const void* from, size_t len) {
    if (!memory_) memory_ = allocate_host(device_, kCapacity);
    uint8_t* const to = memory_->bytes().data() + used_;
    std::memcpy(to, from, len);
    used_ += (len + kAlignment - 1) / kAlignment * kAlignment;
    return to;
  }
  void clear() noexcept {
    if (used_) wipe(memory_->bytes().data(), used_);
    used_ = 0;
  }

 private:
  static constexpr size_t kCapacity = 4 * kMaxUpload, kAlignment = 64;

  Device& device_;
  std::unique_ptr<HostBuffer> memory_;
  size_t used_ = 0;
};

}  // namespace vsh::gpu
