// Kuznyechik over many blocks under one key. schedule: for each of K_1 .. K_10 128 masks, 0 or ~0, mask 8 i + b for bit
// b of byte k_i.
#define VSH_WORDS 4
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/counters.h"
#include "gpu/kernels/kuznyechik_rounds.h"

// X[key].
VSH_FUNCTION void vsh_x(vsh_u32* a, VSH_GLOBAL const vsh_u32* masks) {
  VSH_UNROLL
  for (int i = 0; i < 128; i += 4) {
    const vsh_u32x4 m = vsh_load_u32x4(masks + i);
    a[i] ^= m.x;
    a[i + 1] ^= m.y;
    a[i + 2] ^= m.z;
    a[i + 3] ^= m.w;
  }
}

VSH_FUNCTION void vsh_encrypt_planes(vsh_u32* a, VSH_GLOBAL const vsh_u32* schedule) {
  VSH_KEEP_LOOP
  for (int r = 0;; ++r) {
    vsh_x(a, schedule + 128 * r);
    if (r == 9) break;
    vsh_s(a);
    vsh_l(a);
  }
}
VSH_FUNCTION void vsh_decrypt_planes(vsh_u32* a, VSH_GLOBAL const vsh_u32* schedule) {
  VSH_KEEP_LOOP
  for (int r = 9;; --r) {
    vsh_x(a, schedule + 128 * r);
    if (r == 0) break;
    vsh_l_inverse(a);
    // Else S of the first bytes starts while L still needs their old values, for which there are too few registers.
    if (VSH_ZERO() > 0) break;
    vsh_s_inverse(a);
  }
}

// Encrypts words, turned in parts, in place (blocks.h).
VSH_FUNCTION void vsh_encrypt(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule) {
  vsh_u32 a[128];
  vsh_turn_far(w);
  vsh_name_planes(a, w);
  vsh_encrypt_planes(a, schedule);
  vsh_name_words(w, a);
  vsh_turn_far(w);
}
VSH_FUNCTION void vsh_decrypt(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule) {
  vsh_u32 a[128];
  vsh_turn_far(w);
  vsh_name_planes(a, w);
  vsh_decrypt_planes(a, schedule);
  vsh_name_words(w, a);
  vsh_turn_far(w);
}

#include "gpu/kernels/block_operations.h"

// Counters: the left and the right half of a block are big-endian numbers.
VSH_FUNCTION vsh_u64 vsh_half(VSH_GLOBAL const vsh_u32* words) {
  return (vsh_u64)vsh_reverse(words[0]) << 32 | vsh_reverse(words[1]);
}
VSH_FUNCTION vsh_u32 vsh_count_half(vsh_u32* a, vsh_u64 number) {
  return vsh_add_carry(a + 32, (vsh_u32)(number >> 32), vsh_count(a, (vsh_u32)number));
}
VSH_FUNCTION void vsh_splat_half(vsh_u32* a, vsh_u64 number) {
  vsh_splat(a, (vsh_u32)number);
  vsh_splat(a + 32, (vsh_u32)(number >> 32));
}
VSH_FUNCTION void vsh_keystream(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule, vsh_u32* a) {
  vsh_encrypt_planes(a, schedule);
  vsh_name_words(w, a);
  vsh_turn_far(w);
}

VSH_FUNCTION void vsh_keystream_of_ctr(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                       VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  const vsh_u64 right = vsh_half(counter + 2) + steps, left = vsh_half(counter) + (right < steps);
  vsh_u32 a[128];
  const vsh_u32 carry = vsh_add_carry(a + 64, (vsh_u32)left, vsh_count_half(a, right));
  vsh_add_carry(a + 96, (vsh_u32)(left >> 32), carry);
  vsh_keystream(w, schedule, a);
}
VSH_KEYSTREAM(ctr)

// RFC 9058 clause 3: the left or the right half counts, modulo 2^64.
VSH_FUNCTION void vsh_keystream_of_ctr_left(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                            VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  vsh_u32 a[128];
  vsh_splat_half(a, vsh_half(counter + 2));
  vsh_count_half(a + 64, vsh_half(counter) + steps);
  vsh_keystream(w, schedule, a);
}
VSH_KEYSTREAM(ctr_left)

VSH_FUNCTION void vsh_keystream_of_ctr_right(vsh_u32 (*w)[32], VSH_GLOBAL const vsh_u32* schedule,
                                             VSH_GLOBAL const vsh_u32* counter, vsh_u64 steps) {
  vsh_u32 a[128];
  vsh_count_half(a, vsh_half(counter + 2) + steps);
  vsh_splat_half(a + 64, vsh_half(counter));
  vsh_keystream(w, schedule, a);
}
VSH_KEYSTREAM(ctr_right)

#include "gpu/kernels/xts.h"

#undef VSH_KEYSTREAM
#undef VSH_BUFFERS
