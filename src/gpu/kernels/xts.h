// XTS (IEEE 1619 clause 5), after block_operations.h. Tweaks are made in words of blocks: T = E_2(number of the data
// unit) * x^j for block j of a unit. A block is a little-endian polynomial, so a product by x^32 moves words, and one
// by x^r, r < 32, shifts them; bits shifted out at x^128 come back as x^7 + x^2 + x + 1. Memory has every
// 32nd of a unit's tweaks: ceil(unit_blocks / 32).
//
// The block and unit of a lane are public: shifts by that amount and addresses computed from it leak nothing.
#ifndef VSH_XTS_H
#define VSH_XTS_H

#include "gpu/kernels/block_operations.h"

// t += overflow * (x^7 + x^2 + x + 1).
VSH_FUNCTION void vsh_reduce(vsh_block* t, vsh_u32 overflow) {
  t->x ^= overflow ^ overflow << 1 ^ overflow << 2 ^ overflow << 7;
  t->y ^= overflow >> 31 ^ overflow >> 30 ^ overflow >> 25;
}

VSH_FUNCTION vsh_block vsh_times_x32(vsh_block t) {
  vsh_block p;
  p.x = 0;
  p.y = t.x;
  p.z = t.y;
  p.w = t.z;
  vsh_reduce(&p, t.w);
  return p;
}

// The high word of high || low, shifted to the left by r < 32.
VSH_FUNCTION vsh_u32 vsh_shift(vsh_u32 high, vsh_u32 low, vsh_u32 r) {
  return (vsh_u32)(((vsh_u64)high << 32 | low) << r >> 32);
}
VSH_FUNCTION vsh_block vsh_times_x(vsh_block t, vsh_u32 r) {
  vsh_block p;
  p.x = t.x << r;
  p.y = vsh_shift(t.y, t.x, r);
  p.z = vsh_shift(t.z, t.y, r);
  p.w = vsh_shift(t.w, t.z, r);
  vsh_reduce(&p, vsh_shift(0, t.w, r));
  return p;
}

// The place of a lane's tweak: the t before it in memory, times x^block.
typedef struct {
  vsh_const_blocks t;
  vsh_u32 block, unit_blocks, chunks;
} vsh_tweak_place;

VSH_FUNCTION vsh_u32 vsh_chunks(vsh_u32 unit_blocks) { return unit_blocks / 32 + (unit_blocks % 32 != 0); }

// first_unit: number of the launch's first data unit among those of `tweaks`.
VSH_FUNCTION vsh_tweak_place vsh_first_tweak(VSH_GLOBAL const vsh_u32* tweaks, vsh_u64 first_unit, vsh_u32 unit_blocks,
                                             vsh_place p) {
  vsh_tweak_place q;
  const vsh_u64 unit = p.first / unit_blocks;
  q.unit_blocks = unit_blocks;
  q.chunks = vsh_chunks(unit_blocks);
  q.t = (vsh_const_blocks)tweaks + (first_unit + unit) * q.chunks;
  q.block = (vsh_u32)(p.first - unit * unit_blocks);
  return q;
}

// Adds the tweaks of VSH_PART lanes to w; advances q.
VSH_FUNCTION void vsh_add_tweaks(vsh_u32 (*w)[VSH_LANES], vsh_tweak_place* q, vsh_place p, int begin) {
  const vsh_u32 units = 32 / q->unit_blocks, blocks = 32 % q->unit_blocks;  // from lane to lane
  VSH_FOR_LANES(j, begin) {
    if (VSH_OFFSET(j) < p.rest) vsh_add_words(w, j, vsh_times_x(q->t[q->block / 32], q->block % 32));
    q->block += blocks;
    q->t += units * q->chunks;
    if (q->block >= q->unit_blocks) {
      q->block -= q->unit_blocks;
      q->t += q->chunks;
    }
  }
}

// Writes the tweaks of the item's data units; w holds the first of each.
VSH_FUNCTION void vsh_store_tweaks(VSH_GLOBAL vsh_u32* tweaks, vsh_u32 (*w)[VSH_LANES], vsh_u32 unit_blocks,
                                   vsh_place p) {
  const vsh_u32 chunks = vsh_chunks(unit_blocks);
  for (vsh_u32 k = 0; k < chunks; ++k) {
    vsh_blocks to = (vsh_blocks)tweaks + p.first * chunks + k;
    VSH_FOR_PARTS(begin, p) {
      VSH_FOR_LANES(j, begin) {
        const vsh_block t = vsh_get_words(w, j);
        if (VSH_OFFSET(j) < p.rest) *to = t;
        to += (vsh_u64)VSH_OFFSET(1) * chunks;
        vsh_set_words(w, j, vsh_times_x32(t));
      }
    }
  }
}

// Processes whole data units of unit_blocks blocks; the first has number `first` among those of `tweaks`.
#define VSH_XTS(name, crypt)                                                                              \
  VSH_KERNEL void name(VSH_BUFFERS, VSH_GLOBAL const vsh_u32* tweaks, vsh_u64 first, vsh_u32 unit_blocks, \
                       vsh_u64 num_blocks) {                                                              \
    vsh_place place = vsh_my_place(num_blocks);                                                           \
    vsh_u32 w[VSH_WORDS][VSH_LANES];                                                                      \
    vsh_tweak_place q = vsh_first_tweak(tweaks, first, unit_blocks, place);                               \
    vsh_clear(w);                                                                                         \
    VSH_FOR_PARTS(begin, place) {                                                                         \
      vsh_add(w, in, place, begin);                                                                       \
      vsh_add_tweaks(w, &q, place, begin);                                                                \
      vsh_turn(w, begin);                                                                                 \
    }                                                                                                     \
    crypt(w, schedule);                                                                                   \
    VSH_FORGET(unit_blocks);                                                                              \
    VSH_FORGET(place.rest);                                                                               \
    q = vsh_first_tweak(tweaks, first, unit_blocks, place);                                               \
    VSH_FOR_PARTS(begin, place) {                                                                         \
      vsh_turn(w, begin);                                                                                 \
      vsh_add_tweaks(w, &q, place, begin);                                                                \
      vsh_store(out, w, place, begin);                                                                    \
    }                                                                                                     \
  }
VSH_XTS(xts_encrypt, vsh_encrypt)
VSH_XTS(xts_decrypt, vsh_decrypt)
#undef VSH_XTS

// Writes the tweaks of num_units data units numbered first, first + step, ...; schedule: of the second key.
VSH_KERNEL void xts_tweaks(VSH_GLOBAL vsh_u32* tweaks, VSH_GLOBAL const vsh_u32* schedule, vsh_u64 first, vsh_u64 step,
                           vsh_u32 unit_blocks, vsh_u64 num_units) {
  vsh_place place = vsh_my_place(num_units);
  vsh_u32 w[4][32];
  VSH_UNROLL
  for (int j = 0; j < VSH_LANES; ++j) {
    const vsh_u64 number = first + (place.first + VSH_OFFSET(j)) * step;
    w[0][j] = (vsh_u32)number;
    w[1][j] = (vsh_u32)(number >> 32);
    w[2][j] = 0;
    w[3][j] = 0;
  }
  VSH_UNROLL
  for (int begin = 0; begin < VSH_LANES; begin += VSH_PART) vsh_turn(w, begin);
  vsh_encrypt(w, schedule);
  VSH_FORGET(place.rest);
  VSH_FOR_PARTS(begin, place) vsh_turn(w, begin);
  vsh_store_tweaks(tweaks, w, unit_blocks, place);
}

#endif
