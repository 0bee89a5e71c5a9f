// The 32 blocks of a work item, of VSH_WORDS words each: their numbers, loads and stores.
//
// 32 neighbouring items share 1024 blocks, and item t of them takes t, t + 32, ..., t + 992: in every load and store
// neighbours access neighbouring blocks, and items exchange no data. A number that grows by one from block to block
// grows by 32 from lane to lane: its five lowest bits belong to the item, the next five are VSH_LANE_BIT.
#ifndef VSH_BLOCKS_H
#define VSH_BLOCKS_H

#include "gpu/kernels/planes.h"

#if VSH_WORDS == 2
typedef vsh_u32x2 vsh_block;
#else
typedef vsh_u32x4 vsh_block;
#endif
typedef VSH_GLOBAL vsh_block* vsh_blocks;
typedef VSH_GLOBAL const vsh_block* vsh_const_blocks;

#define VSH_LANES 32
// Offset of block j of the item from its first; a place is used if it is less than `rest`.
#define VSH_OFFSET(j) ((vsh_u32)(j)*32u)

typedef struct {
  vsh_u64 first;
  vsh_u32 rest;
} vsh_place;

VSH_FUNCTION vsh_place vsh_my_place(vsh_u64 num_blocks) {
  vsh_place p;
  const vsh_u64 item = vsh_item();
  p.first = (item / 32) * 1024 + item % 32;
  const vsh_u64 rest = p.first < num_blocks ? num_blocks - p.first : 0;
  p.rest = rest < 1024 ? (vsh_u32)rest : 1024u;
  return p;
}

// w[k][j]: word k of block j.
VSH_FUNCTION void vsh_set_words(vsh_u32 (*w)[VSH_LANES], int j, vsh_block b) {
  w[0][j] = b.x;
  w[1][j] = b.y;
#if VSH_WORDS == 4
  w[2][j] = b.z;
  w[3][j] = b.w;
#endif
}
VSH_FUNCTION void vsh_add_words(vsh_u32 (*w)[VSH_LANES], int j, vsh_block b) {
  w[0][j] ^= b.x;
  w[1][j] ^= b.y;
#if VSH_WORDS == 4
  w[2][j] ^= b.z;
  w[3][j] ^= b.w;
#endif
}
VSH_FUNCTION vsh_block vsh_get_words(vsh_u32 (*w)[VSH_LANES], int j) {
  vsh_block b;
  b.x = w[0][j];
  b.y = w[1][j];
#if VSH_WORDS == 4
  b.z = w[2][j];
  b.w = w[3][j];
#endif
  return b;
}

// Blocks of a message that are staged (streams.h): two sectors of 32 bytes. One sector was 6 to 25 % slower on an H200.
#define VSH_STAGED_BLOCKS (16 / VSH_WORDS)
// Loads and stores that many, aligned to 16 bytes.
VSH_FUNCTION void vsh_load_staged(vsh_block* b, vsh_const_blocks from) {
#if VSH_WORDS == 4
  VSH_UNROLL
  for (int i = 0; i < VSH_STAGED_BLOCKS; ++i) b[i] = from[i];
#else
  VSH_GLOBAL const vsh_u32x4* const pairs = (VSH_GLOBAL const vsh_u32x4*)from;
  VSH_UNROLL
  for (int i = 0; i < VSH_STAGED_BLOCKS / 2; ++i) {
    const vsh_u32x4 pair = pairs[i];
    b[2 * i].x = pair.x;
    b[2 * i].y = pair.y;
    b[2 * i + 1].x = pair.z;
    b[2 * i + 1].y = pair.w;
  }
#endif
}
VSH_FUNCTION void vsh_store_staged(vsh_blocks to, const vsh_block* b) {
#if VSH_WORDS == 4
  VSH_UNROLL
  for (int i = 0; i < VSH_STAGED_BLOCKS; ++i) to[i] = b[i];
#else
  VSH_UNROLL
  for (int i = 0; i < VSH_STAGED_BLOCKS / 2; ++i) {
    vsh_u32x4 pair;
    pair.x = b[2 * i].x;
    pair.y = b[2 * i].y;
    pair.z = b[2 * i + 1].x;
    pair.w = b[2 * i + 1].y;
    ((VSH_GLOBAL vsh_u32x4*)to)[i] = pair;
  }
#endif
}

// Blocks are loaded and stored in parts of VSH_PART lanes: output may equal input, so loads after a store stay after
// it, and a part is large enough to hide the latency of memory and small enough for the registers. Parts without blocks
// are skipped; compilers cannot move code across parts. In each part, before the cipher and after it, vsh_turn does
// half of the transposition (planes.h); the cipher does vsh_turn_far, the other half.
#define VSH_PART 8
#define VSH_FOR_PARTS(begin, p) \
  VSH_UNROLL for (int begin = 0; begin < VSH_LANES; begin += VSH_PART) if (VSH_OFFSET(begin) < (p).rest)
#define VSH_FOR_LANES(j, begin) VSH_UNROLL for (int j = begin; j < (begin) + VSH_PART; ++j)

VSH_FUNCTION void vsh_turn(vsh_u32 (*w)[VSH_LANES], int begin) {
  VSH_UNROLL
  for (int k = 0; k < VSH_WORDS; ++k) vsh_transpose_near(w[k], begin);
}
VSH_FUNCTION void vsh_turn_far(vsh_u32 (*w)[VSH_LANES]) {
  VSH_UNROLL
  for (int k = 0; k < VSH_WORDS; ++k) vsh_transpose_far(w[k]);
}
// Called before all parts: zeros places without a block.
VSH_FUNCTION void vsh_clear(vsh_u32 (*w)[VSH_LANES]) {
  VSH_UNROLL
  for (int k = 0; k < VSH_WORDS; ++k) VSH_UNROLL
  for (int j = 0; j < VSH_LANES; ++j) w[k][j] = 0;
}
VSH_FUNCTION void vsh_store(VSH_GLOBAL vsh_u32* out, vsh_u32 (*w)[VSH_LANES], vsh_place p, int begin) {
  const vsh_blocks to = (vsh_blocks)out + p.first;
  VSH_FOR_LANES(j, begin) if (VSH_OFFSET(j) < p.rest) to[VSH_OFFSET(j)] = vsh_get_words(w, j);
}
VSH_FUNCTION void vsh_add(vsh_u32 (*w)[VSH_LANES], VSH_GLOBAL const vsh_u32* in, vsh_place p, int begin) {
  const vsh_const_blocks from = (vsh_const_blocks)in + p.first;
  VSH_FOR_LANES(j, begin) if (VSH_OFFSET(j) < p.rest) vsh_add_words(w, j, from[VSH_OFFSET(j)]);
}
VSH_FUNCTION void vsh_load(vsh_u32 (*w)[VSH_LANES], VSH_GLOBAL const vsh_u32* in, vsh_place p) {
  vsh_clear(w);
  VSH_FOR_PARTS(begin, p) {
    vsh_add(w, in, p, begin);
    vsh_turn(w, begin);
  }
}
// Adds the blocks z places earlier in the sequence `before`, `in`; `before` has z of them, at most 32.
VSH_FUNCTION void vsh_add_earlier(vsh_u32 (*w)[VSH_LANES], VSH_GLOBAL const vsh_u32* in,
                                  VSH_GLOBAL const vsh_u32* before, vsh_u32 z, vsh_place p, int begin) {
  const vsh_const_blocks from = (vsh_const_blocks)in + (p.first - z);
  VSH_FOR_LANES(j, begin) {
    if (VSH_OFFSET(j) >= p.rest) continue;
    const int is_before = j == 0 && p.first < z;
    vsh_add_words(w, j, is_before ? ((vsh_const_blocks)before)[p.first] : from[VSH_OFFSET(j)]);
  }
}

#endif
