// Memory of the host for copies to and from a device: page-locked, or ordinary if the system gives no more of that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/secret_buffer.hpp"
#include "gpu/device/device.hpp"

namespace vsh::gpu {

// Copies from and to it wait, and pass through the driver's memory.
class PageableBuffer final : public HostBuffer {
 public:
  explicit PageableBuffer(size_t len) : PageableBuffer(SecretBuffer(len)) {}

 private:
  explicit PageableBuffer(SecretBuffer memory)
      : HostBuffer({memory.data(), memory.size()}), memory_(std::move(memory)) {}

  SecretBuffer memory_;  // stays at its address when it is moved
};

// Throws Error, and std::bad_alloc.
inline std::unique_ptr<HostBuffer> allocate_host(Device& device, size_t len) {
  try {
    return device.allocate_host(len);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::memory) throw;
  }
  return std::make_unique<PageableBuffer>(len);
}

// ---- Buffers that are made when they are first needed, and made anew where more is ---------------------------------

// Returns at least len bytes; the former contents are lost.
inline Buffer& grow(Device& device, std::unique_ptr<Buffer>& buffer, size_t len) {
  if (buffer && buffer->size() >= len) return *buffer;
  buffer.reset();  // first: there may be no room for both
  buffer = device.allocate(len);
  return *buffer;
}
// Does the same for memory that queued work may still use.
inline Buffer& grow(Device& device, Queue& queue, std::unique_ptr<Buffer>& buffer, size_t len) {
  if (buffer && buffer->size() < len) queue.finish();
  return grow(device, buffer, len);
}
inline uint8_t* grow(Device& device, std::unique_ptr<HostBuffer>& buffer, size_t len) {
  device.require();
  if (buffer && buffer->bytes().size() >= len) return buffer->bytes().data();
  buffer.reset();
  buffer = allocate_host(device, len);
  return buffer->bytes().data();
}

// Small uploads from pageable memory pass through page-locked memory of their queue: the caller's is free at once, no
// call waits, and no driver keeps its own copies of keys.
class Staging {
 public:
  static constexpr size_t kMaxUpload = 64 * 1024;

  explicit Staging(Device& device) noexcept : device_(device) {}
  bool has_room(size_t len) const noexcept { return len <= kCapacity - used_; }

  // Makes a copy, which stays until clear().
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

// Page-locked memory that this library has from a driver. Any thread.
class PageLockedRanges {
 public:
  void add(std::span<const uint8_t> bytes) {
    const std::lock_guard lock(mutex_);
    all_.push_back(bytes);
  }
  void remove(std::span<const uint8_t> bytes) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](std::span<const uint8_t> other) { return other.data() == bytes.data(); });
  }
  // Returns whether one of them has all of [p, p + len).
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
