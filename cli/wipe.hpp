// Erasing of keys. Only the C ABI of the library is used here, so the program has its own four lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

// A number of secret bytes that is known when it is made, or fewer; erased at the end of the scope. Never grown, so
// that no copy is left behind.
class SecretBuffer {
 public:
  explicit SecretBuffer(size_t len) : bytes_(len), len_(len) {}
  SecretBuffer(SecretBuffer&& other) noexcept = default;
  SecretBuffer& operator=(SecretBuffer&& other) noexcept {
    bytes_.swap(other.bytes_);
    std::swap(len_, other.len_);
    return *this;
  }
  ~SecretBuffer() { wipe(bytes_.data(), bytes_.size()); }

  void shorten(size_t len) { len_ = len; }
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return len_; }
  std::span<uint8_t> bytes() { return std::span(bytes_).first(len_); }
  std::span<const uint8_t> bytes() const { return std::span(bytes_).first(len_); }

 private:
  std::vector<uint8_t> bytes_;
  size_t len_;
};

}  // namespace vsh::cli
