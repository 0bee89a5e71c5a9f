// The kernels of a block cipher under one key, the same for all ciphers. out and in are whole blocks and may be equal
// unless stated otherwise; num_blocks may be any number. A cipher defines, before this file,
//
//     vsh_encrypt(w, schedule)  vsh_decrypt(w, schedule)   of blocks in words, turned in parts (blocks.h), in place
//
// and, for each of its modes of counters, a line VSH_KEYSTREAM(name) after it, with
//
//     vsh_keystream_of_name(w, schedule, counter, number)  encrypts counters number, number + 32, ... from the block in
//                                                          device memory on; counters.h
#ifndef VSH_BLOCK_OPERATIONS_H
#define VSH_BLOCK_OPERATIONS_H

#include "gpu/kernels/blocks.h"

#define VSH_BUFFERS VSH_GLOBAL vsh_u32 *out, VSH_GLOBAL const vsh_u32 *in, VSH_GLOBAL const vsh_u32 *schedule

VSH_KERNEL void ecb_encrypt(VSH_BUFFERS, vsh_u64 num_blocks) {
  vsh_place place = vsh_my_place(num_blocks);
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_load(w, in, place);
  vsh_encrypt(w, schedule);
  VSH_FORGET(place.rest);
  VSH_FOR_PARTS(begin, place) {
    vsh_turn(w, begin);
    vsh_store(out, w, place, begin);
  }
}

VSH_KERNEL void ecb_decrypt(VSH_BUFFERS, vsh_u64 num_blocks) {
  vsh_place place = vsh_my_place(num_blocks);
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_load(w, in, place);
  vsh_decrypt(w, schedule);
  VSH_FORGET(place.rest);
  VSH_FOR_PARTS(begin, place) {
    vsh_turn(w, begin);
    vsh_store(out, w, place, begin);
  }
}

// out[i] = D(in[i]) ^ the block z places earlier in the sequence before, in. out must not be in.
VSH_KERNEL void cbc_decrypt(VSH_BUFFERS, VSH_GLOBAL const vsh_u32* before, vsh_u32 z, vsh_u64 num_blocks) {
  vsh_place place = vsh_my_place(num_blocks);
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_load(w, in, place);
  vsh_decrypt(w, schedule);
  VSH_FORGET(place.rest);
  VSH_FOR_PARTS(begin, place) {
    vsh_turn(w, begin);
    vsh_add_earlier(w, in, before, z, place, begin);
    vsh_store(out, w, place, begin);
  }
}

// out[i] = in[i] ^ E(the block z places earlier). out must not be in.
VSH_KERNEL void cfb_decrypt(VSH_BUFFERS, VSH_GLOBAL const vsh_u32* before, vsh_u32 z, vsh_u64 num_blocks) {
  vsh_place place = vsh_my_place(num_blocks);
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_clear(w);
  VSH_FOR_PARTS(begin, place) {
    vsh_add_earlier(w, in, before, z, place, begin);
    vsh_turn(w, begin);
  }
  vsh_encrypt(w, schedule);
  VSH_FORGET(place.rest);
  VSH_FOR_PARTS(begin, place) {
    vsh_turn(w, begin);
    vsh_add(w, in, place, begin);
    vsh_store(out, w, place, begin);
  }
}

// out[i] = in[i] ^ E(counter number first + i).
#define VSH_KEYSTREAM(name)                                                                                 \
  VSH_KERNEL void name(VSH_BUFFERS, VSH_GLOBAL const vsh_u32* counter, vsh_u64 first, vsh_u64 num_blocks) { \
    vsh_place place = vsh_my_place(num_blocks);                                                             \
    vsh_u32 w[VSH_WORDS][VSH_LANES];                                                                        \
    vsh_keystream_of_##name(w, schedule, counter, first + place.first);                                     \
    VSH_FOR_PARTS(begin, place) {                                                                           \
      vsh_turn(w, begin);                                                                                   \
      vsh_add(w, in, place, begin);                                                                         \
      vsh_store(out, w, place, begin);                                                                      \
    }                                                                                                       \
  }

#endif
