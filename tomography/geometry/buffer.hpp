// Aligned floats for bundles.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstring>
#include <limits>
#include <new>

#include "tomography/slices/kernel.hpp"

namespace vsh::tomography {

// Uninitialised; throws std::bad_alloc.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t floats) : size_(floats) {
    if (floats > std::numeric_limits<ptrdiff_t>::max() / sizeof(float)) throw std::bad_alloc();
    data_ = static_cast<float*>(::operator new (floats * sizeof(float), std::align_val_t{alignment()}));
#if defined(__linux__)
    // Where the system gives them on request only: fewer faults, and fewer misses of the translation buffers.
    if (alignment() == kHugePage) ::madvise(data_, floats * sizeof(float), MADV_HUGEPAGE);
#endif
  }
  Buffer(Buffer&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() { ::operator delete (data_, std::align_val_t{alignment()}); }

  float* data() noexcept { return data_; }
  const float* data() const noexcept { return data_; }
  size_t size() const noexcept { return size_; }
  void clear() noexcept { std::memset(data_, 0, size_ * sizeof(float)); }

 private:
  static constexpr size_t kHugePage = size_t{2} << 20;
  size_t alignment() const noexcept { return size_ * sizeof(float) < 2 * kHugePage ? kAlignment : kHugePage; }

  float* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace vsh::tomography
