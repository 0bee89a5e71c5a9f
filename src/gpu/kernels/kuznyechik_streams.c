// Kuznyechik over many messages, each under its own key; round keys from the program kuznyechik_keys.
//
//     -DVSH_OPERATION=name   stream_operations.h
//
// Costs, in instructions of the logic pipe for a byte of 32 blocks of 16 bytes: rounds 48, two transpositions 4. Spread
// reads 160 bytes of round keys for 512 of data and turns their bits into masks: 3 more. Lockstep adds 1280 planes, 10
// bytes a byte, from L2 or, where schedules of 5 KiB for 32 streams do not fit there, from memory.
#define VSH_WORDS 4
#define VSH_SCHEDULE_WORDS 40
#define VSH_SCHEDULE(stream) (stream)
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/kuznyechik_rounds.h"
#include "gpu/kernels/stream_operations.h"

#define VSH_NUMBER(w) VSH_BYTES(w, w, 0x0123)

// X[K_(r+1)]. keys: lockstep, the item's sliced keys; else a stream's round keys, words 4 r to 4 r + 3, lowest first,
// num_streams apart.
VSH_FUNCTION void vsh_x(const int lockstep, vsh_u32* a, VSH_GLOBAL const vsh_u32* keys, vsh_u32 num_streams, int r) {
  VSH_UNROLL
  for (int k = 0; k < 4; ++k) {
    const vsh_u32 word = lockstep ? 0u : keys[(vsh_u64)num_streams * (4 * r + k)];
    VSH_UNROLL
    for (int i = 0; i < 32; ++i)
      a[32 * k + i] ^= lockstep ? keys[(128 * r + 32 * k + i) * VSH_GROUP] : VSH_MASK(word, i);
  }
}

VSH_FUNCTION void vsh_cipher(const int lockstep, vsh_u32 (*w)[VSH_LANES], VSH_GLOBAL const vsh_u32* keys,
                             vsh_u32 num_streams, VSH_GLOBAL const vsh_u32* tables) {
  vsh_u32 a[128];
  (void)tables;
  vsh_turn_far(w);
  vsh_name_planes(a, w);
  VSH_KEEP_LOOP
  for (int r = 0; r < 9; ++r) {
    vsh_x(lockstep, a, keys, num_streams, VSH_DECRYPTS ? 9 - r : r);
    if (VSH_DECRYPTS) {
      vsh_l_inverse(a);
      vsh_s_inverse(a);
    } else {
      vsh_s(a);
      vsh_l(a);
    }
  }
  vsh_x(lockstep, a, keys, num_streams, VSH_DECRYPTS ? 0 : 9);
  vsh_name_words(w, a);
  vsh_turn_far(w);
}

#include "gpu/kernels/streams.h"
