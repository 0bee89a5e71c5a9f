// The counters of MGM (RFC 9058 clause 3), and the lengths that end its sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bytes.hpp"

namespace vsh::modes {

inline uint64_t load_half(const uint8_t* half, size_t n) noexcept { return n == 16 ? load_be64(half) : load_be32(half); }
inline void store_half(uint8_t* half, size_t n, uint64_t x) noexcept {
  n == 16 ? store_be64(half, x) : store_be32(half, static_cast<uint32_t>(x));
}

// The counter and those that follow it: incr_l counts in the left half of a block, incr_r in the right.
inline void write_left(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter) noexcept {
  uint64_t next = load_half(counter, n);
  for (size_t i = 0; i < num; ++i, blocks += n) {
    store_half(blocks, n, next++);
    std::memcpy(blocks + n / 2, counter + n / 2, n / 2);
  }
}
inline void write_right(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter) noexcept {
  uint64_t next = load_half(counter + n / 2, n);
  for (size_t i = 0; i < num; ++i, blocks += n) {
    std::memcpy(blocks, counter, n / 2);
    store_half(blocks + n / 2, n, next++);
  }
}

// len(A) || len(C), in bits.
inline void write_lengths(uint8_t* block, size_t n, uint64_t data_len, uint64_t text_len) noexcept {
  store_half(block, n, 8 * data_len);
  store_half(block + n / 2, n, 8 * text_len);
}

inline size_t blocks_of(size_t len, size_t n) noexcept { return len / n + (len % n != 0); }

}  // namespace vsh::modes
