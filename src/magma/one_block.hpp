// The function g of Magma and GOST 28147-89 on one block, constant time for any S-boxes, on general registers.
//
// All eight S-boxes at once, as polynomials over GF(2) in the bits x_3 x_2 x_1 x_0 of each nibble:
//     t(x) = XOR over the 16 monomials u of (coefficient word c_u) & (product of the x_i with i in u),
// where nibble j of c_u holds the coefficients of pi_j's four output bits, and each x_i is spread over its nibble. No
// look-up; the chain from x to t(x) is short, which is what counts when every block waits for the one before.
#pragma once

#include "core/bytes.hpp"
#include "magma/rounds.hpp"

namespace vsh::magma {
namespace {

struct NibblePolynomials {
  uint32_t c[16];

  // rows[j] is pi_j.
  VSH_INLINE_MEMBER void prepare(const uint8_t rows[8][16]) {
    for (int v = 0; v < 16; ++v) {
      c[v] = 0;
      for (int j = 0; j < 8; ++j) c[v] |= static_cast<uint32_t>(rows[j][v]) << (4 * j);
    }
    // Moebius transform: values to coefficients.
    for (int i = 1; i < 16; i <<= 1)
      for (int v = 0; v < 16; ++v)
        if (v & i) c[v] ^= c[v ^ i];
  }

  // g[k](a) = t(a + k) <<< 11, GOST R 34.12-2015 clause 5.2.
  VSH_INLINE_MEMBER uint32_t g(uint32_t k, uint32_t a) const {
    const uint32_t x = a + k;
    const uint32_t x0 = spread(x), x1 = spread(x >> 1), x2 = spread(x >> 2), x3 = spread(x >> 3);
    const uint32_t x01 = x0 & x1, x23 = x2 & x3, x02 = x0 & x2, x12 = x1 & x2, x03 = x0 & x3, x13 = x1 & x3;
    const uint32_t linear = (c[0] ^ (c[1] & x0)) ^ ((c[2] & x1) ^ (c[4] & x2)) ^ (c[8] & x3);
    const uint32_t quadratic = ((c[3] & x01) ^ (c[5] & x02)) ^ ((c[6] & x12) ^ (c[9] & x03)) ^
                               ((c[10] & x13) ^ (c[12] & x23));
    const uint32_t higher = ((c[7] & x01 & x2) ^ (c[11] & x01 & x3)) ^ ((c[13] & x0 & x23) ^ (c[14] & x1 & x23)) ^
                            (c[15] & x01 & x23);
    const uint32_t y = linear ^ quadratic ^ higher;
    return y << 11 | y >> 21;
  }

 private:
  // The lowest bit of each nibble to all four.
  VSH_INLINE_MEMBER static uint32_t spread(uint32_t x) {
    x &= 0x11111111;
    return (x << 4) - x;
  }
};

// The two halves of a block. Magma: a_1 || a_0 big-endian; GOST 28147-89: N_1 then N_2, little-endian, N_1 being a_0.
struct Halves {
  uint32_t a0, a1;
  VSH_INLINE_MEMBER static Halves load(const uint8_t* p, bool little_endian) {
    if (little_endian) return {load_le32(p), load_le32(p + 4)};
    return {load_be32(p + 4), load_be32(p)};
  }
  VSH_INLINE_MEMBER void store(uint8_t* p, bool little_endian) const {
    if (little_endian) {
      store_le32(p, a0);
      store_le32(p + 4, a1);
    } else {
      store_be32(p, a1);
      store_be32(p + 4, a0);
    }
  }
};

// 32 rounds on one block; g(k, a) is the round function. The last round does not swap (clause 5.4).
template <bool kDecrypt, class G>
VSH_INLINE Halves run_rounds(Halves x, const uint32_t* k, G&& g) {
  for (int i = 0; i < kNumRounds; i += 2) {
    x.a1 ^= g(k[key_of_round<kDecrypt>(i)], x.a0);
    x.a0 ^= g(k[key_of_round<kDecrypt>(i + 1)], x.a1);
  }
  return {x.a1, x.a0};
}

}  // namespace
}  // namespace vsh::magma
