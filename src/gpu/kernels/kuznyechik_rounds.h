// Rounds of Kuznyechik over bit planes, a whole block in registers: GOST R 34.12-2015 clause 4 (RFC 7801).
//
// a[8 i + b] is bit b of byte a_i. L is 16 steps of a shift register without moves: a step appends
//     s_(n+16) = l(s_(n+15), ..., s_n)
// and no step after it needs s_n, so the new byte replaces the old one, and after 16 steps every byte is back in its
// place. The coefficients of l read the same from both ends and that of s_n is 1: the same step turns s_(n+16) back
// into s_n, and L^-1 is the 16 steps in reverse order. 87 three-input functions a step, 79 (76 inverse) for S.
#ifndef VSH_KUZNYECHIK_ROUNDS_H
#define VSH_KUZNYECHIK_ROUNDS_H

#include "gpu/kernels/planes.h"

// The circuits' words (src/circuits/circuits.hpp).
#define VSH_T vsh_u32
#define VSH_ANDN(a, b) (~(a) & (b))

// x = pi(x).
#define VSH_X(i) x[i]
#define VSH_Y(i, value) x[i] = value
VSH_FUNCTION void vsh_pi(vsh_u32* x) {
#if VSH_HAS_LUT3
#include "circuits/generated/kuznyechik_pi.lut3.inc"
#else
#include "circuits/generated/kuznyechik_pi.gates2.inc"
#endif
}
VSH_FUNCTION void vsh_pi_inverse(vsh_u32* x) {
#if VSH_HAS_LUT3
#include "circuits/generated/kuznyechik_pi_inverse.lut3.inc"
#else
#include "circuits/generated/kuznyechik_pi_inverse.gates2.inc"
#endif
}
#undef VSH_X
#undef VSH_Y

// Step n of L: byte n of the window becomes l of all, which begin at n.
#define VSH_XB(i, b) a[(n + (i)) % 16 * 8 + (b)]
#define VSH_Y(i, value) y[i] = value
VSH_FUNCTION void vsh_step(vsh_u32* a, int n) {
  vsh_u32 y[8];
#if VSH_HAS_LUT3
#include "circuits/generated/kuznyechik_lfsr.lut3.inc"
#else
#include "circuits/generated/kuznyechik_lfsr.gates2.inc"
#endif
  VSH_UNROLL
  for (int b = 0; b < 8; ++b) a[8 * n + b] = y[b];
}
#undef VSH_XB
#undef VSH_Y
#undef VSH_T
#undef VSH_ANDN

VSH_FUNCTION void vsh_l(vsh_u32* a) {
  VSH_UNROLL
  for (int n = 0; n < 16; ++n) vsh_step(a, n);
}
VSH_FUNCTION void vsh_l_inverse(vsh_u32* a) {
  VSH_UNROLL
  for (int n = 15; n >= 0; --n) vsh_step(a, n);
}
VSH_FUNCTION void vsh_s(vsh_u32* a) {
  VSH_UNROLL
  for (int i = 0; i < 16; ++i) vsh_pi(a + 8 * i);
}
VSH_FUNCTION void vsh_s_inverse(vsh_u32* a) {
  VSH_UNROLL
  for (int i = 0; i < 16; ++i) vsh_pi_inverse(a + 8 * i);
}

// Planes and transposed words: the first byte of a block is a_15, so word k has the planes 96 - 32 k to 127 - 32 k, its
// bytes in reverse order.
VSH_FUNCTION void vsh_name_planes(vsh_u32* a, vsh_u32 (*w)[32]) {
  VSH_UNROLL
  for (int i = 0; i < 128; ++i) a[i] = w[3 - i / 32][i % 32 ^ 24];
}
VSH_FUNCTION void vsh_name_words(vsh_u32 (*w)[32], vsh_u32* a) {
  VSH_UNROLL
  for (int i = 0; i < 128; ++i) w[3 - i / 32][i % 32 ^ 24] = a[i];
}
VSH_FUNCTION void vsh_to_planes(vsh_u32* a, vsh_u32 (*w)[32]) {
  VSH_UNROLL
  for (int k = 0; k < 4; ++k) vsh_transpose(w[k]);
  vsh_name_planes(a, w);
}
VSH_FUNCTION void vsh_to_words(vsh_u32 (*w)[32], vsh_u32* a) {
  vsh_name_words(w, a);
  VSH_UNROLL
  for (int k = 0; k < 4; ++k) vsh_transpose_far(w[k]);
}

#endif
