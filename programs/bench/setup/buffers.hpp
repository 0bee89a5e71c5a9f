// Input and output of the measurements: two regions of memory, page-aligned, touched before the first sample.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

namespace vsh::bench {

class Buffers {
 public:
  // Allocates room for `bytes` at any of the offsets 0..max_offset. The input is pseudo-random. Throws std::bad_alloc.
  Buffers(size_t bytes, size_t max_offset)
      : size_((bytes + max_offset + 4095) / 4096 * 4096), in_(allocate(size_)), out_(allocate(size_)) {
    uint64_t x = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < size_; i += 8) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      for (size_t j = 0; j < 8; ++j) in_.get()[i + j] = static_cast<uint8_t>(x >> (8 * j));
      for (size_t j = 0; j < 8; ++j) out_.get()[i + j] = 0;
    }
  }
  uint8_t* in(size_t offset) const { return in_.get() + offset; }
  uint8_t* out(size_t offset) const { return out_.get() + offset; }

 private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<uint8_t, Free>;
  static Memory allocate(size_t size) {
    Memory memory(static_cast<uint8_t*>(std::aligned_alloc(4096, size)));
    if (!memory) throw std::bad_alloc();
    return memory;
  }

  size_t size_;
  Memory in_, out_;
};

// Throws cli::Failure if the memory cannot be allocated.
Buffers make_buffers(size_t bytes, size_t max_offset);

}  // namespace vsh::bench
