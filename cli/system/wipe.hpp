// Secrets that are erased at the end of their scope. The program uses only the C ABI of the library, so it has its own
// copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cli/system/secret_memory.hpp"

namespace vsh::cli {

// Overwrites with zeros; the volatile writes may not be optimised away.
inline void wipe(void* memory, size_t len) {
  auto* bytes = static_cast<volatile uint8_t*>(memory);
  for (size_t i = 0; i < len; ++i) bytes[i] = 0;
}

// A fixed number of secret bytes.
template <size_t N>
class SecretBytes {
  SecretMemory memory_{N};

 public:
  uint8_t (&bytes)[N] = *reinterpret_cast<uint8_t (*)[N]>(memory_.data());

  SecretBytes() = default;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
};

// Secret bytes; the number is fixed on construction, or reduced. Never grown, so that no copy is left behind.
class SecretBuffer {
 public:
  explicit SecretBuffer(size_t len) : memory_(len), len_(len) {}

  void shorten(size_t len) { len_ = len; }
  uint8_t* data() { return memory_.data(); }
  const uint8_t* data() const { return memory_.data(); }
  size_t size() const { return len_; }
  std::span<uint8_t> bytes() { return {data(), len_}; }
  std::span<const uint8_t> bytes() const { return {data(), len_}; }

 private:
  SecretMemory memory_;
  size_t len_;
};

}  // namespace vsh::cli
