// Streaming GOST R 34.11-94 (RFC 5831 section 6; h_0 = 0 as in RFC 4357 and all implementations). For checking old
// signatures only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gost94/step.hpp"

namespace vsh::gost94 {

// One hash computation. Copyable: a copy continues from the same state. Does not allocate; wipes itself when destroyed.
// The caller erases the stack after its functions.
class Hash {
 public:
  explicit Hash(const Step& step) noexcept : step_(step) { reset(); }
  Hash(const Hash&) noexcept = default;
  Hash& operator=(const Hash&) noexcept = default;
  ~Hash();

  // Begins a new message.
  void reset() noexcept;
  // Appends `len` bytes; `data` may be null if len is 0.
  void update(const uint8_t* data, size_t len) noexcept;
  // Writes size() bytes, the least significant of the standard's word first, as tools print digests. Afterwards only
  // reset, destruction and assignment are allowed.
  void final(uint8_t* out) noexcept;

  static constexpr size_t size() noexcept { return kBlockSize; }
  const BlockKernel& kernel() const noexcept { return step_.kernel(); }

 private:
  void absorb(const uint8_t* block) noexcept;

  Step step_;
  uint8_t h_[kBlockSize];
  uint64_t sigma_[4];  // the sum of the blocks modulo 2^256, lowest word first
  uint64_t len_;       // bytes so far modulo 2^64
  uint8_t buffer_[kBlockSize];
};

}  // namespace vsh::gost94
