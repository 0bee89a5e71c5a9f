// Byte transposition inside 128-bit lanes, for words that can interleave bytes (zip_low, zip_high).
#pragma once

#include "core/bytes.hpp"

namespace vsh {
namespace {

// Interleaving the bytes of r[i] and r[i + n/2] into r[2i] and r[2i + 1] rotates the index (register, byte of 16) left
// by one bit: the top bit of the register's number becomes the lowest of the byte's. n is 8 or 16, kLevels is at most
// four.
template <int kLevels, class W, size_t n>
VSH_INLINE void zip_levels(W (&r)[n]) {
  for (int level = 0; level < kLevels; ++level) {
    W t[n];
    for (size_t i = 0; i < n / 2; ++i) {
      t[2 * i] = W::zip_low(r[i], r[i + n / 2]);
      t[2 * i + 1] = W::zip_high(r[i], r[i + n / 2]);
    }
    for (size_t i = 0; i < n; ++i) r[i] = t[i];
  }
}

}  // namespace
}  // namespace vsh
