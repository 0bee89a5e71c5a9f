// Memory for passphrases and keys, kept out of swap and core files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vsh::cli {

// Disables core files of this process; with prctl(2), on Linux, no other process of the same user can read its memory.
// Called before the first secret is read.
void keep_memory_private();

// Pages for a single secret: erased at the end, locked into memory as far as RLIMIT_MEMLOCK allows (beyond that they
// may be swapped out), excluded from core files. Initially zeros.
class SecretMemory {
 public:
  explicit SecretMemory(size_t len);  // throws std::bad_alloc
  SecretMemory(SecretMemory&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)), len_(std::exchange(other.len_, 0)) {}
  SecretMemory& operator=(SecretMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(len_, other.len_);
    return *this;
  }
  ~SecretMemory();

  uint8_t* data() { return bytes_; }
  const uint8_t* data() const { return bytes_; }

 private:
  uint8_t* bytes_ = nullptr;
  size_t len_;  // of the pages
};

}  // namespace vsh::cli
