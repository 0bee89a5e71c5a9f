#include "modes/blocks.hpp"

#include <cstring>

#include "core/bytes.hpp"

namespace vsh::modes {

void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept {
  size_t i = 0;
  // All loads of a step come before its stores: the compiler may use vectors although out may be a or b.
  for (; i + 32 <= len; i += 32) {
    const uint64_t x0 = load_le64(a + i) ^ load_le64(b + i);
    const uint64_t x1 = load_le64(a + i + 8) ^ load_le64(b + i + 8);
    const uint64_t x2 = load_le64(a + i + 16) ^ load_le64(b + i + 16);
    const uint64_t x3 = load_le64(a + i + 24) ^ load_le64(b + i + 24);
    store_le64(out + i, x0);
    store_le64(out + i + 8, x1);
    store_le64(out + i + 16, x2);
    store_le64(out + i + 24, x3);
  }
  for (; i + 8 <= len; i += 8) store_le64(out + i, load_le64(a + i) ^ load_le64(b + i));
  for (; i < len; ++i) out[i] = a[i] ^ b[i];
}

void truncate_blocks(uint8_t* blocks, size_t num_blocks, size_t block_size, size_t s) noexcept {
  if (s == block_size) return;
  for (size_t i = 1; i < num_blocks; ++i) std::memmove(blocks + i * s, blocks + i * block_size, s);
}

}  // namespace vsh::modes
