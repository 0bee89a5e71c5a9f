// SecretBuffer holds schedules and intermediate data: aligned for kernels, erased when freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "core/kernel.hpp"
#include "core/wipe.hpp"

namespace vsh {

// Rounds up to kScheduleAlignment, for the next part of a buffer.
constexpr size_t aligned_size(size_t size) noexcept {
  return (size + kScheduleAlignment - 1) / kScheduleAlignment * kScheduleAlignment;
}

class SecretBuffer {
 public:
  SecretBuffer() noexcept = default;
  // With zeros. Throws std::bad_alloc.
  explicit SecretBuffer(size_t size) : SecretBuffer(size, Uninitialised{}) {
    if (bytes_) std::memset(bytes_, 0, size);
  }
  struct Uninitialised {};
  SecretBuffer(size_t size, Uninitialised) : size_(size) {
    if (size) bytes_ = static_cast<uint8_t*>(::operator new[](size, std::align_val_t{kScheduleAlignment}));
  }
  SecretBuffer(SecretBuffer&& other) noexcept { swap(other); }
  SecretBuffer& operator=(SecretBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SecretBuffer() {
    if (!bytes_) return;
    wipe(bytes_, size_);
    ::operator delete[](bytes_, std::align_val_t{kScheduleAlignment});
  }

  uint8_t* data() noexcept { return bytes_; }
  const uint8_t* data() const noexcept { return bytes_; }
  size_t size() const noexcept { return size_; }

 private:
  void swap(SecretBuffer& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
  }

  uint8_t* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace vsh
