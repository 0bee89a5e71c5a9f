// A round of Magma and GOST 28147-89 over bit planes: GOST R 34.12-2015 clause 5 (RFC 8891), RFC 5830 clause 5.
//
//     -DVSH_SBOX=n         number of the S-box set, vsh_sbox of vershina.h; 9: user-defined, truth tables as data
//     -DVSH_GOST28147=0|1  blocks are big-endian numbers (Magma), or little-endian ones
//
// A round adds the key with a ripple carry, applies the S-box to each four bits of the sum as soon as they are
// available, and adds the results to the other half 11 planes further on: the rotation is a choice of index, the
// halves' swap a choice of name. 63 three-input functions for the sum, some 60 for the S-boxes, 32 for the other half.
#ifndef VSH_MAGMA_ROUNDS_H
#define VSH_MAGMA_ROUNDS_H

#include "gpu/kernels/planes.h"

// Words of a block in memory, and their planes: a_0 (N_1) is the half that enters g; the bytes of a big-endian number
// are planes in reverse order.
#define VSH_A0 (VSH_GOST28147 ? 0 : 1)
#define VSH_A1 (VSH_GOST28147 ? 1 : 0)
#define VSH_BIT(i) (VSH_GOST28147 ? (i) : (i) ^ 24)

// The schedule: 32 masks, 0 or ~0, for the bits of each of K_1 .. K_8; then, for user-defined S-boxes, 16 for each
// output bit of each box, for the inputs 0 .. 15.
#define VSH_KEY_MASKS 256

#if VSH_SBOX == 9

// Any S-boxes: each bit is a tree of selections by the four input bits over its truth table.
VSH_FUNCTION void vsh_substitute(vsh_u32* to, const vsh_u32* sum, VSH_GLOBAL const vsh_u32* tables) {
  const vsh_u32 zero = VSH_ZERO();
  VSH_UNROLL
  for (int i = 0; i < 32; ++i) {
    if (i % 4 == 0 && zero > (vsh_u32)i) return;  // else all tables are loaded at once
    const vsh_u32* x = sum + i / 4 * 4;
    vsh_u32 t[8];
    VSH_UNROLL
    for (int k = 0; k < 8; k += 2) {
      const vsh_u32x4 m = vsh_load_u32x4(tables + zero + 16 * i + 2 * k);
      t[k] = VSH_SELECT(x[0], m.y, m.x);
      t[k + 1] = VSH_SELECT(x[0], m.w, m.z);
    }
    VSH_UNROLL
    for (int k = 0; k < 4; ++k) t[k] = VSH_SELECT(x[1], t[2 * k + 1], t[2 * k]);
    t[0] = VSH_SELECT(x[2], t[1], t[0]);
    t[1] = VSH_SELECT(x[2], t[3], t[2]);
    to[(i + 11) % 32] ^= VSH_SELECT(x[3], t[1], t[0]);
  }
}

#else

// The circuits' words (src/circuits/circuits.hpp). x[i] is bit i of the sum.
#define VSH_T vsh_u32
#define VSH_ANDN(a, b) (~(a) & (b))
#define VSH_BOX(i)
#define VSH_X(i) sum[i]
#define VSH_Y(i, value) to[((i) + 11) % 32] ^= value

VSH_FUNCTION void vsh_substitute(vsh_u32* to, const vsh_u32* sum, VSH_GLOBAL const vsh_u32* tables) {
  (void)tables;
#if VSH_HAS_LUT3
#if VSH_SBOX == 1
#include "circuits/generated/tc26_z.lut3.inc"
#elif VSH_SBOX == 2
#include "circuits/generated/cryptopro_a.lut3.inc"
#elif VSH_SBOX == 3
#include "circuits/generated/cryptopro_b.lut3.inc"
#elif VSH_SBOX == 4
#include "circuits/generated/cryptopro_c.lut3.inc"
#elif VSH_SBOX == 5
#include "circuits/generated/cryptopro_d.lut3.inc"
#elif VSH_SBOX == 6
#include "circuits/generated/test_28147.lut3.inc"
#elif VSH_SBOX == 7
#include "circuits/generated/test_3411_94.lut3.inc"
#else
#include "circuits/generated/cryptopro_3411_94.lut3.inc"
#endif
#else
#if VSH_SBOX == 1
#include "circuits/generated/tc26_z.gates2.inc"
#elif VSH_SBOX == 2
#include "circuits/generated/cryptopro_a.gates2.inc"
#elif VSH_SBOX == 3
#include "circuits/generated/cryptopro_b.gates2.inc"
#elif VSH_SBOX == 4
#include "circuits/generated/cryptopro_c.gates2.inc"
#elif VSH_SBOX == 5
#include "circuits/generated/cryptopro_d.gates2.inc"
#elif VSH_SBOX == 6
#include "circuits/generated/test_28147.gates2.inc"
#elif VSH_SBOX == 7
#include "circuits/generated/test_3411_94.gates2.inc"
#else
#include "circuits/generated/cryptopro_3411_94.gates2.inc"
#endif
#endif
}

#undef VSH_T
#undef VSH_ANDN
#undef VSH_BOX
#undef VSH_X
#undef VSH_Y

#endif

// to ^= g[key](from); key: 32 planes.
VSH_FUNCTION void vsh_magma_round(vsh_u32* to, const vsh_u32* from, const vsh_u32* key,
                                  VSH_GLOBAL const vsh_u32* tables) {
  vsh_u32 sum[32];
  vsh_u32 carry = from[0] & key[0];
  sum[0] = from[0] ^ key[0];
  VSH_UNROLL
  for (int b = 1; b < 32; ++b) {
    sum[b] = VSH_SUM(from[b], key[b], carry);
    carry = VSH_CARRY(from[b], key[b], carry);
  }
  vsh_substitute(to, sum, tables);
}

// Index of the key of round i = 0 .. 31: K_1 .. K_8 forwards and, from round `turn` on, backwards; encryption turns
// at 24, decryption at 8 (GOST R 34.12-2015 clauses 5.3, 5.4).
#define VSH_ENCRYPTION 24
#define VSH_DECRYPTION 8
VSH_FUNCTION int vsh_key_of_round(int i, int turn) { return (i < turn ? i : ~i) & 7; }

#endif
