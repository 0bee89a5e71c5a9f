// Streaming Streebog, GOST R 34.11-2012 (RFC 6986, section 9), over a kernel's compression function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernel.hpp"
#include "streebog/constants.hpp"
#include "streebog/state.hpp"

namespace vsh::streebog {

inline constexpr size_t kMaxHashBytes = 64;

// One hash computation. Copyable: a copy continues from the same state. Does not allocate; wipes itself when
// destroyed. Message and hash lie in memory with the byte that the standard writes last at offset 0.
class Hash {
 public:
  // hash_bits: 256 or 512. The kernel row must outlive the object.
  Hash(const HashKernel* kernel, unsigned hash_bits) noexcept;
  Hash(const Hash&) noexcept = default;
  Hash& operator=(const Hash&) noexcept = default;
  ~Hash();

  // Begins a new message with the same kernel and hash size.
  void reset() noexcept;
  // Appends `len` bytes; `data` may be null if len is 0. Whole blocks go to the kernel without a copy.
  void update(const uint8_t* data, size_t len) noexcept;
  // Writes size() bytes. Afterwards only reset, destruction and assignment are allowed.
  void final(uint8_t* out) noexcept;

  size_t size() const noexcept { return hash_bytes_; }
  const HashKernel* kernel() const noexcept { return kernel_; }

 private:
  State state_;
  uint8_t buffer_[kBlockSize];
  uint32_t buffered_ = 0;  // bytes of buffer_ in use, always less than a block
  uint32_t hash_bytes_;
  const HashKernel* kernel_;
};

}  // namespace vsh::streebog
