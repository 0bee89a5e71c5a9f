// Moves lines, 64 bytes of each of many messages, to rows of blocks and back, by AVX-512 (core/kernel.hpp: gather,
// scatter). As many lines as a line has blocks are a square matrix of blocks, which either way is transposed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/unrolled.hpp"
#include "simd/x86.hpp"

namespace vsh {
namespace {

template <size_t kBlock>
struct LinesAvx512 {
  static constexpr size_t kSide = 64 / kBlock;  // lines, and rows, of a square

  VSH_INLINE_MEMBER static void transpose(__m512i (&m)[4], size_t first, size_t step, const __m512i (&from)[kSide]) {
    const auto at = [&](size_t i) VSH_LAMBDA_INLINE { return from[first + i * step]; };
    const __m512i a = _mm512_shuffle_i64x2(at(0), at(1), 0x44), b = _mm512_shuffle_i64x2(at(0), at(1), 0xEE);
    const __m512i c = _mm512_shuffle_i64x2(at(2), at(3), 0x44), d = _mm512_shuffle_i64x2(at(2), at(3), 0xEE);
    m[0] = _mm512_shuffle_i64x2(a, c, 0x88), m[1] = _mm512_shuffle_i64x2(a, c, 0xDD);
    m[2] = _mm512_shuffle_i64x2(b, d, 0x88), m[3] = _mm512_shuffle_i64x2(b, d, 0xDD);
  }
  VSH_INLINE_MEMBER static void transpose(__m512i (&m)[kSide]) {
    if constexpr (kBlock == 16) {
      transpose(m, 0, 1, m);
    } else {
      __m512i t[8], even[4], odd[4];
      for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(m[i], m[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(m[i], m[i + 1]);
      }
      transpose(even, 0, 2, t), transpose(odd, 1, 2, t);
      for (int i = 0; i < 4; ++i) m[2 * i] = even[i], m[2 * i + 1] = odd[i];
    }
  }

  template <size_t kLanes>
  VSH_INLINE_MEMBER static void gather(uint8_t* rows, const uint8_t* const* lines) {
    static_assert(kLanes % kSide == 0);
    for (size_t i = 0; i < kLanes; i += kSide) {
      __m512i m[kSide];
      for (size_t k = 0; k < kSide; ++k) m[k] = _mm512_loadu_si512(lines[i + k]);
      transpose(m);
      for (size_t k = 0; k < kSide; ++k) _mm512_storeu_si512(rows + (k * kLanes + i) * kBlock, m[k]);
    }
  }
  template <size_t kLanes, bool kAdd>
  VSH_INLINE_MEMBER static void scatter(uint8_t* const* lines, const uint8_t* const* add, const uint8_t* rows) {
    for (size_t i = 0; i < kLanes; i += kSide) {
      __m512i m[kSide];
      for (size_t k = 0; k < kSide; ++k) m[k] = _mm512_loadu_si512(rows + (k * kLanes + i) * kBlock);
      transpose(m);
      for (size_t k = 0; k < kSide; ++k) {
        if constexpr (kAdd) m[k] = _mm512_xor_si512(m[k], _mm512_loadu_si512(add[i + k]));
        _mm512_storeu_si512(lines[i + k], m[k]);
      }
    }
  }
};

}  // namespace
}  // namespace vsh
