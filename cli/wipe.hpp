// Erasing of keys. Only the C ABI of the library is used here, so the program has its own four lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vsh::cli {

// Overwrites with zeros; the volatile writes may not be optimised away.
inline void wipe(void* memory, size_t len) {
  auto* bytes = static_cast<volatile uint8_t*>(memory);
  for (size_t i = 0; i < len; ++i) bytes[i] = 0;
}

// A fixed number of secret bytes, erased at the end of the scope.
template <size_t N>
struct SecretBytes {
  uint8_t bytes[N] = {};

  SecretBytes() = default;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes() { wipe(bytes, N); }
};

// A number of secret bytes that is known when it is made; erased at the end of the scope.
class SecretBuffer {
 public:
  explicit SecretBuffer(size_t len) : bytes_(len) {}
  SecretBuffer(SecretBuffer&& other) noexcept = default;
  SecretBuffer& operator=(SecretBuffer&& other) noexcept {
    bytes_.swap(other.bytes_);
    return *this;
  }
  ~SecretBuffer() { wipe(bytes_.data(), bytes_.size()); }

  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  std::span<uint8_t> bytes() { return bytes_; }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace vsh::cli
