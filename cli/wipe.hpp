// Erasing of keys. Only the C ABI of the library is used here, so the program has its own four lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace vsh::cli
