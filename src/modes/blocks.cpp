#include "modes/blocks.hpp"

#include <cstring>

namespace vsh::modes {

void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept {
  // Every load of a step comes before its stores, so the compiler may use vectors although the buffers may be one.
  constexpr size_t kWords = 8;
  size_t i = 0;
  for (; i + 8 * kWords <= len; i += 8 * kWords) {
    uint64_t x[kWords], y[kWords];
    std::memcpy(x, a + i, sizeof x);
    std::memcpy(y, b + i, sizeof y);
    for (size_t k = 0; k < kWords; ++k) x[k] ^= y[k];
    std::memcpy(out + i, x, sizeof x);
  }
  for (; i + 8 <= len; i += 8) {
    uint64_t x, y;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    x ^= y;
    std::memcpy(out + i, &x, 8);
  }
  for (; i < len; ++i) out[i] = a[i] ^ b[i];
}

void truncate_blocks(uint8_t* blocks, size_t num_blocks, size_t block_size, size_t s) noexcept {
  if (s == block_size) return;
  for (size_t i = 1; i < num_blocks; ++i) std::memmove(blocks + i * s, blocks + i * block_size, s);
}

}  // namespace vsh::modes
