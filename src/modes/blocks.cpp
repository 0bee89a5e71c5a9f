#include "modes/blocks.hpp"

#include <cstring>

namespace vsh::modes {

namespace {

uint64_t load(const uint8_t* p) noexcept {
  uint64_t x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

void store(uint8_t* p, uint64_t x) noexcept { std::memcpy(p, &x, sizeof x); }

}  // namespace

void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept {
  size_t i = 0;
  // All loads of a step come before its stores: the compiler may use vectors although out may be a or b.
  for (; i + 32 <= len; i += 32) {
    const uint64_t x0 = load(a + i) ^ load(b + i), x1 = load(a + i + 8) ^ load(b + i + 8);
    const uint64_t x2 = load(a + i + 16) ^ load(b + i + 16), x3 = load(a + i + 24) ^ load(b + i + 24);
    store(out + i, x0);
    store(out + i + 8, x1);
    store(out + i + 16, x2);
    store(out + i + 24, x3);
  }
  for (; i + 8 <= len; i += 8) store(out + i, load(a + i) ^ load(b + i));
  for (; i < len; ++i) out[i] = a[i] ^ b[i];
}

void truncate_blocks(uint8_t* blocks, size_t num_blocks, size_t block_size, size_t s) noexcept {
  if (s == block_size) return;
  for (size_t i = 1; i < num_blocks; ++i) std::memmove(blocks + i * s, blocks + i * block_size, s);
}

}  // namespace vsh::modes
