// Counters in sliced form, without a branch: those of MGM are secret. Lane j counts 32 j from the item's own number
// (blocks.h): five planes are constants, five take a full adder, the rest the carry.
#ifndef VSH_COUNTERS_H
#define VSH_COUNTERS_H

#include "gpu/kernels/planes.h"

// Reverses the bytes of a word.
VSH_FUNCTION vsh_u32 vsh_reverse(vsh_u32 x) { return VSH_BYTES(x, x, 0x0123); }

VSH_FUNCTION void vsh_splat(vsh_u32* planes, vsh_u32 x) {
  VSH_UNROLL
  for (int b = 0; b < 32; ++b) planes[b] = VSH_MASK(x, b);
}

// x + carry, modulo 2^32. Returns the carry out.
VSH_FUNCTION vsh_u32 vsh_add_carry(vsh_u32* planes, vsh_u32 x, vsh_u32 carry) {
  VSH_UNROLL
  for (int b = 0; b < 32; ++b) {
    const vsh_u32 bit = VSH_MASK(x, b);
    planes[b] = bit ^ carry;
    carry &= bit;
  }
  return carry;
}

// x + 32 j, modulo 2^32. Returns the carry out.
VSH_FUNCTION vsh_u32 vsh_count(vsh_u32* planes, vsh_u32 x) {
  vsh_u32 carry = 0;
  VSH_UNROLL
  for (int b = 0; b < 32; ++b) {
    const vsh_u32 bit = VSH_MASK(x, b);
    if (b >= 5 && b < 10) {
      const vsh_u32 lane = VSH_LANE_BIT(b - 5);
      planes[b] = VSH_SUM(bit, lane, carry);
      carry = VSH_CARRY(bit, lane, carry);
    } else {
      planes[b] = bit ^ carry;
      carry &= bit;
    }
  }
  return carry;
}

// Returns x modulo 2^32 - 1, 0 only for x = 0 (src/magma/cnt_counters.hpp).
VSH_FUNCTION vsh_u32 vsh_modulo(vsh_u64 x) {
  x = (x & 0xffffffffu) + (x >> 32);
  return (vsh_u32)((x & 0xffffffffu) + (x >> 32));
}

// Plane b of the number 32 j * (1 + 2^8 + 2^16 + 2^24): copies of j at bits 5, 13, 21, 29, which do not overlap.
VSH_FUNCTION vsh_u32 vsh_cnt_step(int b) { return b >= 5 && (b - 5) % 8 < 5 ? VSH_LANE_BIT((b - 5) % 8) : 0u; }

// Counters of CNT, GOST 28147-89 (RFC 5830 clause 6.1): N3 and N4 after `steps` > 0 steps, and 32 j more in lane j. 32
// j * C2 modulo 2^32 is vsh_cnt_step. 32 j * C1 modulo 2^32 - 1 has its lowest copy at bit 7 instead of 5, and two bits
// of the highest, at bit 29, wrap to 0 and 1. N4's sum adds its own carry at bit 0; the representation of zero stays
// right, since a number after a step is never 0.
VSH_FUNCTION void vsh_count_cnt(vsh_u32* planes3, vsh_u32* planes4, vsh_u32 n3, vsh_u32 n4, vsh_u64 steps) {
  vsh_u32 carry = 0, step[32];
  n3 += (vsh_u32)steps * 0x01010101u;
  n4 = vsh_modulo(n4 + (vsh_u64)vsh_modulo(steps) * 0x01010104u);
  VSH_UNROLL
  for (int b = 0; b < 32; ++b) {
    const vsh_u32 bit = VSH_MASK(n3, b), lane = vsh_cnt_step(b);
    planes3[b] = VSH_SUM(bit, lane, carry);
    carry = VSH_CARRY(bit, lane, carry);
  }
  carry = 0;
  VSH_UNROLL
  for (int b = 0; b < 32; ++b) {
    planes4[b] = VSH_MASK(n4, b);
    step[b] = b < 2 ? VSH_LANE_BIT(b + 3) : b < 12 ? (b < 7 ? 0u : VSH_LANE_BIT(b - 7)) : vsh_cnt_step(b);
    carry = VSH_CARRY(planes4[b], step[b], carry);
  }
  VSH_UNROLL
  for (int b = 0; b < 32; ++b) {
    const vsh_u32 bit = planes4[b];
    planes4[b] = VSH_SUM(bit, step[b], carry);
    carry = VSH_CARRY(bit, step[b], carry);
  }
}

#endif
