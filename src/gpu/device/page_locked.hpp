// Page-locked memory that this library has from a driver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace vsh::gpu {

// Any thread.
class PageLocked {
 public:
  void add(std::span<const uint8_t> bytes) {
    const std::lock_guard lock(mutex_);
    all_.push_back(bytes);
  }
  void remove(std::span<const uint8_t> bytes) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](std::span<const uint8_t> other) { return other.data() == bytes.data(); });
  }
  // Whether one of them has all of [p, p + len).
  bool has(const void* p, size_t len) const noexcept {
    const auto first = reinterpret_cast<uintptr_t>(p);
    const std::lock_guard lock(mutex_);
    return std::any_of(all_.begin(), all_.end(), [&](std::span<const uint8_t> bytes) {
      const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
      return first >= begin && first - begin <= bytes.size() && len <= bytes.size() - (first - begin);
    });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::span<const uint8_t>> all_;
};

}  // namespace vsh::gpu
