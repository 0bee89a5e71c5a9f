// Magma and GOST 28147-89 over many messages, each under its own key.
//
//     -DVSH_SBOX=n, -DVSH_GOST28147=0|1   magma_rounds.h
//     -DVSH_OPERATION=name                stream_operations.h
//
// Costs, in instructions of the logic pipe for a byte of 32 blocks of 8 bytes: rounds 19.4, two transpositions 4.
// Spread adds 4.9 for masks of key bits, which an item expands from one word a round: no other key traffic. Lockstep
// loads 1024 planes a pass, 16 bytes a byte, from L2 as long as 1 KiB for 32 streams fits.
#define VSH_WORDS 2
#define VSH_SCHEDULE_WORDS 8
#define VSH_SCHEDULE(stream) ((vsh_u64)VSH_SCHEDULE_WORDS * (stream))
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/magma_rounds.h"
#include "gpu/kernels/stream_operations.h"

#if VSH_GOST28147
#define VSH_NUMBER(w) (w)
#else
#define VSH_NUMBER(w) VSH_BYTES(w, w, 0x0123)
#endif

// keys: lockstep, the item's sliced keys; else a stream's key as in memory.
VSH_FUNCTION void vsh_load_key(const int lockstep, vsh_u32* key, VSH_GLOBAL const vsh_u32* keys, int round) {
  const int k = vsh_key_of_round(round, VSH_DECRYPTS ? VSH_DECRYPTION : VSH_ENCRYPTION);
  if (lockstep) {
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) key[i] = keys[(32 * k + i) * VSH_GROUP];
  } else {
    const vsh_u32 word = VSH_NUMBER(keys[k]);
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) key[i] = VSH_MASK(word, i);
  }
}

VSH_FUNCTION void vsh_cipher(const int lockstep, vsh_u32 (*w)[VSH_LANES], VSH_GLOBAL const vsh_u32* keys,
                             vsh_u32 num_streams, VSH_GLOBAL const vsh_u32* tables) {
  vsh_u32 a0[32], a1[32], key[32];
  (void)num_streams;
  vsh_turn_far(w);
  VSH_UNROLL
  for (int i = 0; i < 32; ++i) {
    a0[i] = w[VSH_A0][VSH_BIT(i)];
    a1[i] = w[VSH_A1][VSH_BIT(i)];
  }
  VSH_KEEP_LOOP
  for (int round = 0; round < (VSH_IS(imit) ? 16 : 32); round += 2) {
    vsh_load_key(lockstep, key, keys, round);
    vsh_magma_round(a1, a0, key, tables);
    vsh_load_key(lockstep, key, keys, round + 1);
    vsh_magma_round(a0, a1, key, tables);
  }
  const int swaps = VSH_IS(imit);  // the last round of 32 does not
  VSH_UNROLL
  for (int i = 0; i < 32; ++i) {
    w[swaps ? VSH_A0 : VSH_A1][VSH_BIT(i)] = a0[i];
    w[swaps ? VSH_A1 : VSH_A0][VSH_BIT(i)] = a1[i];
  }
  vsh_turn_far(w);
}

#include "gpu/kernels/streams.h"

// keys: 32 bytes for each stream.
VSH_KERNEL void slice_keys(VSH_GLOBAL vsh_u32* sliced, VSH_GLOBAL const vsh_u32* keys, vsh_u32 num_streams,
                           vsh_u32 share) {
  const vsh_u32 part = (vsh_u32)vsh_item();
  if (part >= share) return;
  sliced += vsh_sliced(part);
  VSH_KEEP_LOOP
  for (int k = 0; k < VSH_SCHEDULE_WORDS; ++k) {
    vsh_u32 w[VSH_LANES];
    VSH_UNROLL
    for (int j = 0; j < VSH_LANES; ++j) {
      const vsh_u32 s = j * share + part;
      w[j] = s < num_streams ? VSH_NUMBER(keys[(vsh_u64)VSH_SCHEDULE_WORDS * s + k]) : 0u;
    }
    vsh_transpose(w);
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) sliced[(32 * k + i) * VSH_GROUP] = w[i];
  }
}
