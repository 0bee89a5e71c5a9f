// Kuznyechik on one block, constant time, on any 64-bit CPU: for key schedules and for modes that feed each block into
// the next.
//
// S: the 16 bytes are transposed to 8 planes of 16 bits and go through the same circuit as in the bit-sliced kernels.
// L: with the matrix M over GF(2^8) and m_ij = sum of m_ij,b x^b,
//      y_i = sum_b x^b sum_j m_ij,b x_j,
//    so byte x_j, copied into every position, is masked by constants into eight accumulators (16 * 8 ANDs and XORs of
//    128 bits), and Horner's rule in x joins them: no products, no look-ups, no address that depends on data.
#pragma once

#include "circuits/circuits.hpp"
#include "kuznyechik/one_block_kernel.hpp"

namespace vsh::kuznyechik {
namespace {

// Memory bytes 0..7 and 8..15, little-endian.
struct Pair {
  uint64_t lo, hi;

  VSH_INLINE_MEMBER static Pair load(const uint8_t* p) { return {load_le64(p), load_le64(p + 8)}; }
  VSH_INLINE_MEMBER void store(uint8_t* p) const {
    store_le64(p, lo);
    store_le64(p + 8, hi);
  }
  VSH_INLINE_MEMBER friend Pair operator^(Pair a, Pair b) { return {a.lo ^ b.lo, a.hi ^ b.hi}; }
};

// A plane: one bit of each of the 16 bytes.
struct Plane16 {
  uint32_t v;
  static constexpr bool has_ternary = false;
  VSH_INLINE_MEMBER friend Plane16 operator&(Plane16 a, Plane16 b) { return {a.v & b.v}; }
  VSH_INLINE_MEMBER friend Plane16 operator|(Plane16 a, Plane16 b) { return {a.v | b.v}; }
  VSH_INLINE_MEMBER friend Plane16 operator^(Plane16 a, Plane16 b) { return {a.v ^ b.v}; }
  VSH_INLINE_MEMBER friend Plane16 operator~(Plane16 a) { return {~a.v}; }
  VSH_INLINE_MEMBER static Plane16 andnot(Plane16 a, Plane16 b) { return {~a.v & b.v}; }
};

// Bit i of byte j <-> bit j of byte i.
VSH_INLINE uint64_t transpose_bits_8x8(uint64_t x) {
  uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0;
  return x ^ t ^ (t << 28);
}

template <bool kInverse>
VSH_INLINE Pair substitute(Pair x) {
  const uint64_t lo = transpose_bits_8x8(x.lo), hi = transpose_bits_8x8(x.hi);
  Plane16 p[8];
  for (int b = 0; b < 8; ++b) p[b].v = static_cast<uint32_t>(((lo >> (8 * b)) & 0xFF) | ((hi >> (8 * b)) & 0xFF) << 8);
  if constexpr (kInverse) circuits::kuznyechik_sbox_inverse(p);
  else circuits::kuznyechik_sbox(p);
  Pair y{0, 0};
  for (int b = 0; b < 8; ++b) {
    y.lo |= static_cast<uint64_t>(p[b].v & 0xFF) << (8 * b);
    y.hi |= static_cast<uint64_t>((p[b].v >> 8) & 0xFF) << (8 * b);
  }
  return {transpose_bits_8x8(y.lo), transpose_bits_8x8(y.hi)};
}

// mask[j][b]: 0xFF in byte i where bit b of m_ij is set.
struct Masks {
  Pair mask[16][8];
};

constexpr Masks masks_of(const Matrix& m) {
  Masks k{};
  for (int j = 0; j < 16; ++j)
    for (int b = 0; b < 8; ++b)
      for (int i = 0; i < 16; ++i) {
        const uint64_t byte = (m.column[j].b[i] >> b) & 1 ? uint64_t{0xFF} << (8 * (i % 8)) : 0;
        (i < 8 ? k.mask[j][b].lo : k.mask[j][b].hi) |= byte;
      }
  return k;
}

alignas(64) constexpr Masks kLMasks = masks_of(matrix_of(l_transform));
alignas(64) constexpr Masks kLInverseMasks = masks_of(matrix_of(l_inverse));

// Eight products by x at once, modulo x^8 + x^7 + x^6 + x + 1.
VSH_INLINE uint64_t times_x(uint64_t v) {
  const uint64_t carry = (v >> 7) & 0x0101010101010101;
  return ((v & 0x7F7F7F7F7F7F7F7F) << 1) ^ (carry * 0xC3);
}

VSH_INLINE Pair apply(const Masks& k, Pair x) {
  Pair sum[8] = {};
  for (int j = 0; j < 16; ++j) {
    const uint64_t byte = (j < 8 ? x.lo >> (8 * j) : x.hi >> (8 * (j - 8))) & 0xFF;
    const uint64_t everywhere = byte * 0x0101010101010101;
    for (int b = 0; b < 8; ++b) {
      sum[b].lo ^= everywhere & k.mask[j][b].lo;
      sum[b].hi ^= everywhere & k.mask[j][b].hi;
    }
  }
  Pair y = sum[7];
  for (int b = 6; b >= 0; --b) y = Pair{times_x(y.lo), times_x(y.hi)} ^ sum[b];
  return y;
}

struct OneBlockWords {
  using Forward = Pair;
  using Backward = Pair;

  VSH_INLINE_MEMBER static Pair forward(Pair x, Pair k) { return apply(kLMasks, substitute<false>(x)) ^ k; }
  VSH_INLINE_MEMBER static Pair backward(Pair x) { return substitute<true>(apply(kLInverseMasks, x)); }
};

}  // namespace
}  // namespace vsh::kuznyechik
