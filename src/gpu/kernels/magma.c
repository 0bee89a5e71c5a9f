// Magma and GOST 28147-89 over many blocks under one key; schedule: magma_rounds.h.
#define VSH_WORDS 2
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/counters.h"
#include "gpu/kernels/magma_rounds.h"

VSH_FUNCTION void vsh_load_key(vsh_u32* key, VSH_GLOBAL const vsh_u32* masks) {
  VSH_UNROLL
  for (int b = 0; b < 32; b += 4) {
    const vsh_u32x4 m = vsh_load_u32x4(masks + b);
    key[b] = m.x;
    key[b + 1] = m.y;
    key[b + 2] = m.z;
    key[b + 3] = m.w;
  }
}

// Runs all 32 rounds over the planes of a_0 and a_1, which become the words of the results. The last round does not
// swap: a_0 becomes a_1.
VSH_FUNCTION void vsh_crypt_planes(vsh_u32 (*w)[32], vsh_u32* a0, vsh_u32* a1, VSH_GLOBAL const vsh_u32* schedule,
                                   int turn) {
  vsh_u32 key[32];
  VSH_KEEP_LOOP
  for (int i = 0; i < 32; i += 2) {
    vsh_load_key(key, schedule + 32 * vsh_key_of_round(i, turn));
    vsh_magma_round(a1, a0, key, schedule + VSH_KEY_MASKS);
    vsh_load_key(key, schedule + 32 * vsh_key_of_round(i + 1, turn));
    vsh_magma_round(a0, a1, key, schedule + VSH_KEY_MASKS);
  }
  VSH_UNROLL
  for (int i = 0; i < 32; ++i) {
    w[VSH_A1][VSH_BIT(i)] = a0[i];
    w[VSH_A0][VSH_BIT(i)] = a1[i];
  }
  vsh_turn_far(w);
}

VSH_FUNCTION void vsh_crypt(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule, int turn) {
  vsh_u32 a0[32], a1[32];
  vsh_turn_far(w);
  VSH_UNROLL
  for (int i = 0; i < 32; ++i) {
    a0[i] = w[VSH_A0][VSH_BIT(i)];
    a1[i] = w[VSH_A1][VSH_BIT(i)];
  }
  vsh_crypt_planes(w, a0, a1, schedule, turn);
}
#define vsh_encrypt(w, schedule) vsh_crypt(w, schedule, VSH_ENCRYPTION)
#define vsh_decrypt(w, schedule) vsh_crypt(w, schedule, VSH_DECRYPTION)

#include "gpu/kernels/block_operations.h"

#if !VSH_GOST28147

VSH_FUNCTION void vsh_keystream_of_ctr(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                       VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  const vsh_u64 number = ((vsh_u64)vsh_reverse(counter[0]) << 32 | vsh_reverse(counter[1])) + steps;
  vsh_u32 a0[32], a1[32];
  vsh_add_carry(a1, (vsh_u32)(number >> 32), vsh_count(a0, (vsh_u32)number));
  vsh_crypt_planes(w, a0, a1, schedule, VSH_ENCRYPTION);
}
VSH_KEYSTREAM(ctr)

// RFC 9058 clause 3: the left or the right half counts, modulo 2^32.
VSH_FUNCTION void vsh_keystream_of_ctr_left(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                            VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  vsh_u32 a0[32], a1[32];
  vsh_count(a1, vsh_reverse(counter[0]) + (vsh_u32)steps);
  vsh_splat(a0, vsh_reverse(counter[1]));
  vsh_crypt_planes(w, a0, a1, schedule, VSH_ENCRYPTION);
}
VSH_KEYSTREAM(ctr_left)

VSH_FUNCTION void vsh_keystream_of_ctr_right(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                             VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  vsh_u32 a0[32], a1[32];
  vsh_splat(a1, vsh_reverse(counter[0]));
  vsh_count(a0, vsh_reverse(counter[1]) + (vsh_u32)steps);
  vsh_crypt_planes(w, a0, a1, schedule, VSH_ENCRYPTION);
}
VSH_KEYSTREAM(ctr_right)

#else

VSH_FUNCTION void vsh_keystream_of_cnt(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                       VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  vsh_u32 a0[32], a1[32];
  vsh_count_cnt(a0, a1, counter[0], counter[1], steps + 1);
  vsh_crypt_planes(w, a0, a1, schedule, VSH_ENCRYPTION);
}
VSH_KEYSTREAM(cnt)

#endif

#undef VSH_KEYSTREAM
#undef VSH_BUFFERS
#undef vsh_encrypt
#undef vsh_decrypt
