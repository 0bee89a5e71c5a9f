// The 16 x 16 byte transposition inside 128-bit lanes, for words that can interleave bytes.
#pragma once

#include "core/bytes.hpp"

namespace vsh {
namespace {

// r[i] byte j <-> r[j] byte i in each 128-bit lane. Interleaving the bytes of r[i] and r[i + 8] into r[2i], r[2i + 1]
// rotates the 8-bit index (register, byte) left by one; four times exchanges register and byte.
template <class W>
VSH_INLINE void transpose_16_columns(W (&r)[16]) {
  W t[16];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 8; ++i) {
      t[2 * i] = W::zip_low(r[i], r[i + 8]);
      t[2 * i + 1] = W::zip_high(r[i], r[i + 8]);
    }
    for (int i = 0; i < 8; ++i) {
      r[2 * i] = W::zip_low(t[i], t[i + 8]);
      r[2 * i + 1] = W::zip_high(t[i], t[i + 8]);
    }
  }
}

}  // namespace
}  // namespace vsh
