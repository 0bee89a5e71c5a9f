// The function g of Magma and GOST 28147-89 on one block, constant time for any S-boxes, on general registers.
//
// All eight S-boxes at once, as polynomials over GF(2) in the bits x_3 x_2 x_1 x_0 of each nibble, every bit spread
// over its nibble. Nibble j of the coefficient word c_u belongs to pi_j and the monomial with the variables in u:
//     A_w  = c_w ^ c_(w+4) x_2 ^ c_(w+8) x_3 ^ c_(w+12) x_2 x_3        w = 0 .. 3
//     t(x) = A_0 ^ A_1 x_0 ^ A_2 x_1 ^ A_3 x_0 x_1
// No look-up, 50 operations, and a short dependency chain from x to t(x), which matters in serial modes.
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
    const uint32_t x23 = x2 & x3;
    uint32_t sum[4];
    for (int w = 0; w < 4; ++w)
      sum[w] = as_written(c[w] ^ (c[w + 4] & x2)) ^ as_written((c[w + 8] & x3) ^ (c[w + 12] & x23));
    const uint32_t y = as_written(sum[0] ^ (sum[1] & x0)) ^ as_written((sum[2] & x1) ^ (sum[3] & (x0 & x1)));
    return y << 11 | y >> 21;
  }

 private:
  // Stops compilers from regrouping a sum into one long chain, which would double the latency of a round.
  VSH_INLINE_MEMBER static uint32_t as_written(uint32_t x) {
#if !defined(__e2k__)
    __asm__("" : "+r"(x));
#endif
    return x;
  }

  // Copies the lowest bit of each nibble to all four.
  VSH_INLINE_MEMBER static uint32_t spread(uint32_t x) {
    x &= 0x11111111;
    return (x << 4) - x;
  }
};

// The two halves of a block. Magma: a_1 || a_0 big-endian; GOST 28147-89: N_1 then N_2, little-endian, N_1 being a_0.
struct Halves {
  uint32_t a0, a1;
  // Loaded and stored as one word: a mode that loads a block behind two stores would wait for both.
  VSH_INLINE_MEMBER static Halves load(const uint8_t* p, bool little_endian) {
    const uint64_t x = little_endian ? load_le64(p) : load_be64(p);
    return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)};
  }
  VSH_INLINE_MEMBER void store(uint8_t* p, bool little_endian) const {
    const uint64_t x = uint64_t{a1} << 32 | a0;
    little_endian ? store_le64(p, x) : store_be64(p, x);
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
