#include "modes/padding.hpp"

#include <cstring>

namespace vsh::modes {
namespace {

// Returns all ones if the condition holds, else zero; arguments below 2^31.
constexpr uint32_t if_zero(uint32_t x) noexcept { return 0 - ((x - 1) >> 31); }
constexpr uint32_t if_less(uint32_t a, uint32_t b) noexcept { return 0 - ((a - b) >> 31); }

// The last byte that is not zero must be 80 hex: the bit 1.
Unpadded find_procedure2(const uint8_t* block, uint32_t n) noexcept {
  uint32_t looking = ~uint32_t{0}, len = 0, valid = 0;
  for (uint32_t i = n; i-- > 0;) {
    const uint32_t found = looking & ~if_zero(block[i]);
    len |= found & i;
    valid |= found & if_zero(block[i] ^ 0x80u);
    looking &= ~found;
  }
  return {len, valid != 0};
}

// The last byte is b = 1 .. n, and so are the b - 1 bytes before it.
Unpadded find_pkcs7(const uint8_t* block, uint32_t n) noexcept {
  const uint32_t b = block[n - 1];
  uint32_t wrong = if_zero(b) | if_less(n, b);  // the low byte suffices: masks are all ones
  for (uint32_t i = 0; i < n; ++i) wrong |= if_less(n - 1 - i, b) & (block[i] ^ b);
  const uint32_t valid = if_zero(wrong & 0xff);
  return {(n - b) & valid, valid != 0};
}

}  // namespace

void add_padding(Padding p, uint8_t* block, size_t block_size, size_t len) noexcept {
  const size_t added = block_size - len;
  std::memset(block + len, p == Padding::pkcs7 ? static_cast<int>(added) : 0, added);
  if (p == Padding::procedure2) block[len] = 0x80;
}

Unpadded find_padding(Padding p, const uint8_t* block, size_t block_size) noexcept {
  const auto n = static_cast<uint32_t>(block_size);
  return p == Padding::pkcs7 ? find_pkcs7(block, n) : find_procedure2(block, n);
}

}  // namespace vsh::modes
