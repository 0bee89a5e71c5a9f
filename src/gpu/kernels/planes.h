// 32 x 32 bits transposed, in registers: words to bit planes and back.
//
// A work item has 32 blocks, so that a plane is a vsh_u32: bit j of plane i is bit i of block j.
#ifndef VSH_PLANES_H
#define VSH_PLANES_H

#include "gpu/kernels/dialect.h"

// Bits of a where m has ones, of b elsewhere.
#define VSH_SELECT(m, a, b) VSH_LUT3(0xca, m, a, b)

#define VSH_EXCHANGE(a, b, shift, mask)                       \
  do {                                                        \
    const vsh_u32 low = VSH_SELECT(mask, a, (b) << (shift));  \
    const vsh_u32 high = VSH_SELECT(mask, (a) >> (shift), b); \
    (a) = low;                                                \
    (b) = high;                                               \
  } while (0)

// The same for whole bytes.
#define VSH_EXCHANGE_BYTES(a, b, low_bytes, high_bytes) \
  do {                                                  \
    const vsh_u32 low = VSH_BYTES(a, b, low_bytes);     \
    const vsh_u32 high = VSH_BYTES(a, b, high_bytes);   \
    (a) = low;                                          \
    (b) = high;                                         \
  } while (0)

// w[i], bit j becomes w[j], bit i: its own inverse, 256 instructions where a byte permutation is one. In two halves, so
// that words may be read or written eight at a time; either may come first. Far: words whose numbers differ in bits 3
// and 4. Near: the eight from `begin` on among themselves.
VSH_FUNCTION void vsh_transpose_far(vsh_u32* w) {
  VSH_UNROLL
  for (int i = 0; i < 16; ++i) VSH_EXCHANGE_BYTES(w[i], w[i + 16], 0x5410, 0x7632);
  VSH_UNROLL
  for (int i = 0; i < 16; ++i) VSH_EXCHANGE_BYTES(w[i + (i & 8)], w[i + (i & 8) + 8], 0x6240, 0x7351);
}
VSH_FUNCTION void vsh_transpose_near(vsh_u32* w, int begin) {
  w += begin;
  VSH_UNROLL
  for (int i = 0; i < 4; ++i) VSH_EXCHANGE(w[i], w[i + 4], 4, 0x0f0f0f0fu);
  VSH_UNROLL
  for (int i = 0; i < 4; ++i) VSH_EXCHANGE(w[i + (i & 2)], w[i + (i & 2) + 2], 2, 0x33333333u);
  VSH_UNROLL
  for (int i = 0; i < 4; ++i) VSH_EXCHANGE(w[2 * i], w[2 * i + 1], 1, 0x55555555u);
}
VSH_FUNCTION void vsh_transpose(vsh_u32* w) {
  VSH_UNROLL
  for (int begin = 0; begin < 32; begin += 8) vsh_transpose_near(w, begin);
  vsh_transpose_far(w);
}

// Bit k of the number j in lane j, for k = 0 .. 4.
#define VSH_LANE_BIT(k) \
  ((k) == 0 ? 0xaaaaaaaau : (k) == 1 ? 0xccccccccu : (k) == 2 ? 0xf0f0f0f0u : (k) == 3 ? 0xff00ff00u : 0xffff0000u)

#define VSH_SUM(a, b, c) VSH_LUT3(0x96, a, b, c)
#define VSH_CARRY(a, b, c) VSH_LUT3(0xe8, a, b, c)

#endif
