// Where the program keeps passphrases and keys, and what it does so that they stay in its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vsh::cli {

// No core file of this process; and by prctl(2), on Linux, no other process of the same user reads its memory. Called
// before the first secret is read.
void keep_memory_private();

// Pages that hold one secret and nothing else: erased at the end, locked into memory as far as RLIMIT_MEMLOCK allows
// (beyond that they may be swapped out), in no core file. Zeros at first.
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
