// Converts bytes to words and back, at any alignment and on either byte order. Everything here has internal linkage:
// kernel files are compiled with different instruction sets, and a weak symbol instantiated under one of them could be
// linked into code for an older CPU (tests/symbols.sh checks).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define VSH_INLINE __attribute__((always_inline)) static inline
#define VSH_INLINE_MEMBER __attribute__((always_inline)) inline
#define VSH_LAMBDA_INLINE __attribute__((always_inline))

namespace vsh {

VSH_INLINE uint64_t byteswap64(uint64_t x) { return __builtin_bswap64(x); }
VSH_INLINE uint32_t byteswap32(uint32_t x) { return __builtin_bswap32(x); }

#if defined(__riscv)
// Reads byte by byte: if words must be aligned, compilers pass memcpy's data through a temporary on the stack, which no
// source line names and nothing erases. If they need not be, this too becomes one instruction.
VSH_INLINE uint32_t load_le32(const uint8_t* p) {
  return uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}
VSH_INLINE uint64_t load_le64(const uint8_t* p) { return load_le32(p) | uint64_t{load_le32(p + 4)} << 32; }
VSH_INLINE void store_le64(uint8_t* p, uint64_t x) {
  for (int i = 0; i < 8; ++i) p[i] = static_cast<uint8_t>(x >> (8 * i));
}
VSH_INLINE void store_le32(uint8_t* p, uint32_t x) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<uint8_t>(x >> (8 * i));
}
#else
VSH_INLINE uint64_t load_le64(const uint8_t* p) {
  uint64_t x;
  std::memcpy(&x, p, 8);
  return std::endian::native == std::endian::little ? x : byteswap64(x);
}
VSH_INLINE uint32_t load_le32(const uint8_t* p) {
  uint32_t x;
  std::memcpy(&x, p, 4);
  return std::endian::native == std::endian::little ? x : byteswap32(x);
}
VSH_INLINE void store_le64(uint8_t* p, uint64_t x) {
  if (std::endian::native != std::endian::little) x = byteswap64(x);
  std::memcpy(p, &x, 8);
}
VSH_INLINE void store_le32(uint8_t* p, uint32_t x) {
  if (std::endian::native != std::endian::little) x = byteswap32(x);
  std::memcpy(p, &x, 4);
}
#endif
VSH_INLINE uint64_t load_be64(const uint8_t* p) { return byteswap64(load_le64(p)); }
VSH_INLINE uint32_t load_be32(const uint8_t* p) { return byteswap32(load_le32(p)); }
VSH_INLINE void store_be64(uint8_t* p, uint64_t x) { store_le64(p, byteswap64(x)); }
VSH_INLINE void store_be32(uint8_t* p, uint32_t x) { store_le32(p, byteswap32(x)); }

// out = a ^ b, of 16 bytes. out may be a or b. Stored as one vector: what loads a block next would have to wait for
// two words.
VSH_INLINE void xor_128(uint8_t* out, const uint8_t* a, const uint8_t* b) {
#if defined(__riscv)
  store_le64(out, load_le64(a) ^ load_le64(b));
  store_le64(out + 8, load_le64(a + 8) ^ load_le64(b + 8));
#else
  using Words [[gnu::vector_size(16)]] = uint64_t;
  Words x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  x ^= y;
  std::memcpy(out, &x, sizeof x);
#endif
}

VSH_INLINE void add_big_endian_128(uint8_t* block, uint64_t value) {
  const uint64_t low = load_be64(block + 8), sum = low + value;
  store_be64(block + 8, sum);
  store_be64(block, load_be64(block) + (sum < low));
}

}  // namespace vsh
