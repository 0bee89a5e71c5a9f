#include "modes/blocks.hpp"

#include <cstring>

#include "core/bytes.hpp"

namespace vsh::modes {
namespace {

template <class... Out>
inline void xor_into(const uint8_t* a, const uint8_t* b, size_t len, Out... out) noexcept {
  size_t i = 0;
  // All loads of a step come before its stores: the compiler may use vectors although out may be a or b.
  for (; i + 32 <= len; i += 32) {
    const uint64_t x0 = load_le64(a + i) ^ load_le64(b + i);
    const uint64_t x1 = load_le64(a + i + 8) ^ load_le64(b + i + 8);
    const uint64_t x2 = load_le64(a + i + 16) ^ load_le64(b + i + 16);
    const uint64_t x3 = load_le64(a + i + 24) ^ load_le64(b + i + 24);
    const auto store = [&](uint8_t* to) {
      store_le64(to + i, x0);
      store_le64(to + i + 8, x1);
      store_le64(to + i + 16, x2);
      store_le64(to + i + 24, x3);
    };
    (store(out), ...);
  }
  for (; i + 8 <= len; i += 8) {
    const uint64_t x = load_le64(a + i) ^ load_le64(b + i);
    (store_le64(out + i, x), ...);
  }
  for (; i < len; ++i) {
    const uint8_t x = a[i] ^ b[i];
    ((out[i] = x), ...);
  }
}

}  // namespace

void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept { xor_into(a, b, len, out); }

void xor_bytes_twice(uint8_t* out, uint8_t* copy, const uint8_t* a, const uint8_t* b, size_t len) noexcept {
  xor_into(a, b, len, out, copy);
}

void truncate_blocks(uint8_t* blocks, size_t num_blocks, size_t block_size, size_t s) noexcept {
  if (s == block_size) return;
  for (size_t i = 1; i < num_blocks; ++i) std::memmove(blocks + i * s, blocks + i * block_size, s);
}

}  // namespace vsh::modes
