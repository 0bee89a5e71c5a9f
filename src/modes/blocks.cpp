#include "modes/blocks.hpp"

#include <cstring>

#include "core/bytes.hpp"

namespace vsh::modes {

void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept {
  size_t i = 0;
  for (; i + 32 <= len; i += 32) {
    xor_128(out + i, a + i, b + i);
    xor_128(out + i + 16, a + i + 16, b + i + 16);
  }
  if (i + 16 <= len) xor_128(out + i, a + i, b + i), i += 16;
  for (; i + 8 <= len; i += 8) store_le64(out + i, load_le64(a + i) ^ load_le64(b + i));
  for (; i < len; ++i) out[i] = a[i] ^ b[i];
}

void truncate_blocks(uint8_t* blocks, size_t num_blocks, size_t block_size, size_t s) noexcept {
  if (s == block_size) return;
  for (size_t i = 1; i < num_blocks; ++i) std::memmove(blocks + i * s, blocks + i * block_size, s);
}

}  // namespace vsh::modes
