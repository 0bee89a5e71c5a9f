// Counters of MGM, and the lengths that end its sum: RFC 9058 clause 3, blocks of n = 8 or 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bytes.hpp"

namespace vsh::mgm {

// Reads half a block as a big-endian number.
template <size_t n>
VSH_INLINE uint64_t load_half(const uint8_t* half) noexcept {
  if constexpr (n == 16) return load_be64(half);
  else return load_be32(half);
}
template <size_t n>
VSH_INLINE void store_half(uint8_t* half, uint64_t x) noexcept {
  if constexpr (n == 16) store_be64(half, x);
  else store_be32(half, static_cast<uint32_t>(x));
}
inline uint64_t load_half(const uint8_t* half, size_t n) noexcept {
  return n == 16 ? load_half<16>(half) : load_half<8>(half);
}
inline void store_half(uint8_t* half, size_t n, uint64_t x) noexcept {
  n == 16 ? store_half<16>(half, x) : store_half<8>(half, x);
}

// incr_l and incr_r of clause 3, `steps` times: addition modulo 2^(n/2) in one half of a block.
inline void add_left(uint8_t* block, size_t n, uint64_t steps) noexcept {
  store_half(block, n, load_half(block, n) + steps);
}
inline void add_right(uint8_t* block, size_t n, uint64_t steps) noexcept { add_left(block + n / 2, n, steps); }

// Writes 0 || ICN to y, 1 || ICN to z. The nonce is read once, so that both come from one nonce and differ even if it
// changes during the call.
inline void write_first(uint8_t* y, uint8_t* z, const uint8_t* nonce, size_t n) noexcept {
  const uint64_t first = load_le64(nonce), rest = n == 16 ? load_le64(nonce + 8) : 0;
  store_le64(y, first & ~uint64_t{0x80});
  store_le64(z, first | 0x80);
  if (n == 16) store_le64(y + 8, rest), store_le64(z + 8, rest);
}

// Writes the counter and those that follow it, which differ in the left or in the right half. Counters are secret: they
// are encrypted nonces. A compiler that sees one count may let it end the loop.
template <size_t n, size_t kCounting>
VSH_INLINE void write_counters(uint8_t* blocks, size_t num, const uint8_t* counter) noexcept {
  const uint64_t half[2] = {load_half<n>(counter), load_half<n>(counter + n / 2)};
  for (size_t i = 0; i < num; ++i, blocks += n) {
    // Hides the count, or the compiler counts in the half, a secret, and compares that to end the loop.
#if defined(__e2k__)
    const volatile size_t hidden = i;
    const size_t count = hidden;
#else
    __asm__("" : "+r"(i));
    const size_t count = i;
#endif
    store_half<n>(blocks, half[0] + (kCounting == 0 ? count : 0));
    store_half<n>(blocks + n / 2, half[1] + (kCounting == 1 ? count : 0));
  }
}
VSH_INLINE void write_left(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter) noexcept {
  n == 16 ? write_counters<16, 0>(blocks, num, counter) : write_counters<8, 0>(blocks, num, counter);
}
VSH_INLINE void write_right(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter) noexcept {
  n == 16 ? write_counters<16, 1>(blocks, num, counter) : write_counters<8, 1>(blocks, num, counter);
}

// Writes len(A) || len(C), in bits.
inline void write_lengths(uint8_t* block, size_t n, uint64_t data_len, uint64_t text_len) noexcept {
  store_half(block, n, 8 * data_len);
  store_half(block + n / 2, n, 8 * text_len);
}

// Without a division by a variable.
inline size_t blocks_of(size_t len, size_t n) noexcept {
  return (n == 16 ? len / 16 : len / 8) + ((len & (n - 1)) != 0);
}

}  // namespace vsh::mgm
