// Where the program keeps passphrases and keys, and what it does so that they stay in its memory. Only the C ABI of the
// library is used here, so the program has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace vsh::cli {

// No core file of this process; and by prctl(2), on Linux, no other process of the same user reads its memory. Called
// before the first secret is read.
void keep_memory_private();

// Keeps the pages that are in use now out of the swap, as far as RLIMIT_MEMLOCK allows: all, or else the heap. fork()
// does not pass locks on. Returns false where even the heap is more than the limit.
bool lock_memory();

// Overwrites with zeros; the volatile writes may not be optimised away.
inline void wipe(void* memory, size_t len) {
  auto* bytes = static_cast<volatile uint8_t*>(memory);
  for (size_t i = 0; i < len; ++i) bytes[i] = 0;
}

// A number of secret bytes that is known when it is made, or fewer; zeros at first. Never grown, so that no copy is
// left behind. Its pages hold nothing else: erased at the end, locked into memory as far as RLIMIT_MEMLOCK allows
// (beyond that they may be swapped out), in no core file.
class SecretBuffer {
 public:
  explicit SecretBuffer(size_t len);  // throws std::bad_alloc
  SecretBuffer(SecretBuffer&& other) noexcept { *this = std::move(other); }
  SecretBuffer& operator=(SecretBuffer&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(len_, other.len_);
    std::swap(pages_len_, other.pages_len_);
    return *this;
  }
  ~SecretBuffer();

  void shorten(size_t len) { len_ = len; }
  uint8_t* data() { return bytes_; }
  const uint8_t* data() const { return bytes_; }
  size_t size() const { return len_; }
  std::span<uint8_t> bytes() { return {bytes_, len_}; }
  std::span<const uint8_t> bytes() const { return {bytes_, len_}; }

 private:
  uint8_t* bytes_ = nullptr;
  size_t len_ = 0, pages_len_ = 0;
};

// A fixed number of secret bytes.
template <size_t N>
class SecretBytes {
  SecretBuffer buffer_{N};

 public:
  uint8_t (&bytes)[N] = *reinterpret_cast<uint8_t (*)[N]>(buffer_.data());

  SecretBytes() = default;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
};

}  // namespace vsh::cli
