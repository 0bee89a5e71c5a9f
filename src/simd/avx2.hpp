// Bit-sliced word of 256 lanes: AVX2.
#pragma once

#include <immintrin.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Avx2 {
  __m256i v;

  static constexpr size_t kBytes = 32;
  static constexpr bool has_ternary = false;

  VSH_INLINE_MEMBER static Avx2 load(const uint8_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Avx2 a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
  VSH_INLINE_MEMBER static Avx2 splat_mask(const uint32_t* m) { return {_mm256_set1_epi32(static_cast<int>(*m))}; }
  VSH_INLINE_MEMBER static Avx2 zero() { return {_mm256_setzero_si256()}; }

  VSH_INLINE_MEMBER friend Avx2 operator&(Avx2 a, Avx2 b) { return {_mm256_and_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Avx2 operator|(Avx2 a, Avx2 b) { return {_mm256_or_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Avx2 operator^(Avx2 a, Avx2 b) { return {_mm256_xor_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Avx2 operator~(Avx2 a) { return {_mm256_xor_si256(a.v, _mm256_set1_epi32(-1))}; }
  VSH_INLINE_MEMBER static Avx2 andnot(Avx2 a, Avx2 b) { return {_mm256_andnot_si256(a.v, b.v)}; }

  // Swaps the bits of a whose position in a byte has bit `s` (1, 2, 4) set with the bits of b that have it clear.
  template <int s>
  VSH_INLINE_MEMBER static void exchange(Avx2& a, Avx2& b) {
    const __m256i m = _mm256_set1_epi8(static_cast<char>(0xFF / ((1 << s) + 1)));
    const __m256i t = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(a.v, s), b.v), m);
    b.v = _mm256_xor_si256(b.v, t);
    a.v = _mm256_xor_si256(a.v, _mm256_slli_epi16(t, s));
  }

  VSH_INLINE_MEMBER static Avx2 zip_low(Avx2 a, Avx2 b) { return {_mm256_unpacklo_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Avx2 zip_high(Avx2 a, Avx2 b) { return {_mm256_unpackhi_epi8(a.v, b.v)}; }

  // Byte operations, for byte-sliced kernels. greater compares signed bytes; both comparisons give 0 or ~0. look_up: in
  // each 128-bit lane, the bytes of the table with the numbers i (below 16).
  VSH_INLINE_MEMBER static Avx2 splat_byte(uint8_t x) { return {_mm256_set1_epi8(static_cast<char>(x))}; }
  VSH_INLINE_MEMBER static Avx2 add(Avx2 a, Avx2 b) { return {_mm256_add_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Avx2 subtract(Avx2 a, Avx2 b) { return {_mm256_sub_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Avx2 greater(Avx2 a, Avx2 b) { return {_mm256_cmpgt_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Avx2 equal(Avx2 a, Avx2 b) { return {_mm256_cmpeq_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Avx2 high_nibbles(Avx2 a) { return Avx2{_mm256_srli_epi16(a.v, 4)} & splat_byte(15); }
  VSH_INLINE_MEMBER static Avx2 look_up(Avx2 table, Avx2 i) { return {_mm256_shuffle_epi8(table.v, i.v)}; }
};

}  // namespace
}  // namespace vsh
