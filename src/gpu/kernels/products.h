// Sums of products of blocks as polynomials over GF(2), in registers. Needs VSH_WORDS, words of a block.
//
// Numbers with holes, as in src/gf2n/kernel_portable.cpp: words with every fourth bit are multiplied as integers, and
// the lowest bit of each sum of bit products is the carry-less one. A sum of a product that begins at bit k and one
// that begins at k + 4 is at most 8 + 7 in a place, so those two share a multiply-and-add; others are added without
// carries, and the holes are masked out at the end. Karatsuba's rule needs nine such products for a block of four words
// (three for two), kept separate until the end.
//
// A product of words: 16 multiplications to 64 bits, 8 masks, 14 additions of three terms. For a byte of 16-byte blocks
// 9 multiply-and-adds, 13 LOP3. Transposition to bit planes and Karatsuba's rule down to 16 bits would take 20 LOP3.
#ifndef VSH_PRODUCTS_H
#define VSH_PRODUCTS_H

#include "gpu/kernels/blocks.h"

#define VSH_LEAVES (VSH_WORDS == 4 ? 9 : 3)

// The words that Karatsuba's rule multiplies, of a block as a number, word 0 lowest: low, high, sum of both; for four
// words, of halves.
VSH_FUNCTION void vsh_leaves(vsh_u32* leaf, vsh_block block) {
#if VSH_WORDS == 4
  leaf[0] = VSH_BYTES(block.w, block.w, 0x0123);
  leaf[1] = VSH_BYTES(block.z, block.z, 0x0123);
  leaf[3] = VSH_BYTES(block.y, block.y, 0x0123);
  leaf[4] = VSH_BYTES(block.x, block.x, 0x0123);
  leaf[6] = leaf[0] ^ leaf[3];
  leaf[7] = leaf[1] ^ leaf[4];
#else
  leaf[0] = VSH_BYTES(block.y, block.y, 0x0123);
  leaf[1] = VSH_BYTES(block.x, block.x, 0x0123);
#endif
  VSH_UNROLL
  for (int i = 0; i < VSH_LEAVES; i += 3) leaf[i + 2] = leaf[i] ^ leaf[i + 1];
}

#define VSH_HOLES(k) (0x11111111u << (k))

// Adds bits k, k + 4, ... of the product of a and b to sum[k].
VSH_FUNCTION void vsh_multiply(vsh_u64* sum, vsh_u32 a, vsh_u32 b) {
  vsh_u64 x[4], y[4];
  VSH_UNROLL
  for (int k = 0; k < 4; ++k) {
    x[k] = a & VSH_HOLES(k);
    y[k] = b & VSH_HOLES(k);
  }
  sum[0] ^= (x[0] * y[0] + x[1] * y[3]) ^ (x[2] * y[2]) ^ (x[3] * y[1]);
  sum[1] ^= (x[0] * y[1] + x[2] * y[3]) ^ (x[1] * y[0] + x[3] * y[2]);
  sum[2] ^= (x[0] * y[2] + x[3] * y[3]) ^ (x[1] * y[1]) ^ (x[2] * y[0]);
  sum[3] ^= (x[0] * y[3]) ^ (x[1] * y[2]) ^ (x[2] * y[1]) ^ (x[3] * y[0]);
}

// Computes the product from the products low, high and both: low + (both + low + high) w^n + high w^(2 n); n words a
// half.
VSH_FUNCTION void vsh_combine(vsh_u32* product, const vsh_u32* low, const vsh_u32* high, const vsh_u32* both,
                              const int n) {
  VSH_UNROLL
  for (int i = 0; i < n; ++i) {
    const vsh_u32 middle = low[n + i] ^ high[i];
    product[i] = low[i];
    product[n + i] = both[i] ^ low[i] ^ middle;
    product[2 * n + i] = both[n + i] ^ high[n + i] ^ middle;
    product[3 * n + i] = high[n + i];
  }
}

typedef struct {
  vsh_u64 of[VSH_LEAVES][4];
} vsh_sum;

VSH_FUNCTION void vsh_clear_sum(vsh_sum* sum) {
  VSH_UNROLL
  for (int i = 0; i < VSH_LEAVES; ++i) VSH_UNROLL
  for (int k = 0; k < 4; ++k) sum->of[i][k] = 0;
}

VSH_FUNCTION void vsh_add_product(vsh_sum* sum, vsh_block a, vsh_block b) {
  vsh_u32 x[VSH_LEAVES], y[VSH_LEAVES];
  vsh_leaves(x, a);
  vsh_leaves(y, b);
  VSH_UNROLL
  for (int i = 0; i < VSH_LEAVES; ++i) vsh_multiply(sum->of[i], x[i], y[i]);
}

// The sum as a number of 2 VSH_WORDS words, word 0 lowest.
VSH_FUNCTION void vsh_total(vsh_u32* product, const vsh_sum* sum) {
  vsh_u32 leaf[VSH_LEAVES][2], part[3][4];
  VSH_UNROLL
  for (int i = 0; i < VSH_LEAVES; ++i) {
    vsh_u64 p = 0;
    VSH_UNROLL
    for (int k = 0; k < 4; ++k) p |= sum->of[i][k] & (0x1111111111111111u << k);
    leaf[i][0] = (vsh_u32)p;
    leaf[i][1] = (vsh_u32)(p >> 32);
  }
  VSH_UNROLL
  for (int i = 0; i < VSH_LEAVES; i += 3) vsh_combine(part[i / 3], leaf[i], leaf[i + 1], leaf[i + 2], 1);
#if VSH_WORDS == 4
  vsh_combine(product, part[0], part[1], part[2], 2);
#else
  VSH_UNROLL
  for (int k = 0; k < 4; ++k) product[k] = part[0][k];
#endif
}

#endif
