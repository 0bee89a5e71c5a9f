// Holdback cuts a stream of bytes into chunks, and holds back what may be its end.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/secret_buffer.hpp"

namespace vsh::sealed {

// A chunk is known not to be the last one only if more than `tail` bytes follow it.
class Holdback {
 public:
  // stride: bytes of a chunk. Throws std::bad_alloc.
  Holdback(size_t stride, size_t tail) : stride_(stride), tail_(tail), buffer_(tail == 0 ? stride : 2 * stride) {}

  // Returns the number of chunks that in_len more bytes complete. held() + in_len must not overflow.
  size_t num_ready(size_t in_len) const noexcept {
    const size_t total = held_len_ + in_len;
    return total <= tail_ ? 0 : (total - tail_ - 1) / stride_;
  }
  const uint8_t* held() const noexcept { return buffer_.data(); }
  size_t held_len() const noexcept { return held_len_; }
  void clear() noexcept { held_len_ = 0; }

  // process(head, num_head, rest, num): num == num_ready(in_len) chunks, the first num_head of them at head, the others
  // at rest, before the remaining bytes are stored. Called if num > 0.
  template <class F>
  void feed(const uint8_t* in, size_t in_len, F&& process) {
    const size_t num = num_ready(in_len);
    if (num == 0) return append(in, in_len);
    // Held bytes are completed to whole chunks; with a tail they may reach into a second one.
    const size_t num_head = std::min(num, (held_len_ + stride_ - 1) / stride_);
    const size_t head_len = num_head * stride_;
    const size_t missing = head_len > held_len_ ? head_len - held_len_ : 0;
    append(in, missing);
    process(buffer_.data(), num_head, in + missing, num);
    held_len_ -= head_len;
    std::memmove(buffer_.data(), buffer_.data() + head_len, held_len_);
    const size_t used = missing + (num - num_head) * stride_;
    append(in + used, in_len - used);
  }

 private:
  void append(const uint8_t* in, size_t len) noexcept {
    if (len) std::memcpy(buffer_.data() + held_len_, in, len);
    held_len_ += len;
  }

  size_t stride_, tail_;
  SecretBuffer buffer_;
  size_t held_len_ = 0;
};

}  // namespace vsh::sealed
