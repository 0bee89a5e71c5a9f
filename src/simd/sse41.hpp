// Bit-sliced word of 128 lanes: SSE4.1 (in fact SSE2 and, for look-ups, SSSE3; Elbrus v5 and later too, where lcc
// translates it).
#pragma once

#include <immintrin.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Sse41 {
  __m128i v;

  static constexpr size_t kBytes = 16;
  static constexpr bool has_ternary = false;

  VSH_INLINE_MEMBER static Sse41 load(const uint8_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Sse41 a) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a.v); }
  VSH_INLINE_MEMBER static Sse41 splat_mask(const uint32_t* m) { return {_mm_set1_epi32(static_cast<int>(*m))}; }
  VSH_INLINE_MEMBER static Sse41 zero() { return {_mm_setzero_si128()}; }

  VSH_INLINE_MEMBER friend Sse41 operator&(Sse41 a, Sse41 b) { return {_mm_and_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Sse41 operator|(Sse41 a, Sse41 b) { return {_mm_or_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Sse41 operator^(Sse41 a, Sse41 b) { return {_mm_xor_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Sse41 operator~(Sse41 a) { return {_mm_xor_si128(a.v, _mm_set1_epi32(-1))}; }
  VSH_INLINE_MEMBER static Sse41 andnot(Sse41 a, Sse41 b) { return {_mm_andnot_si128(a.v, b.v)}; }

  // Swaps the bits of a whose position in a byte has bit `s` (1, 2, 4) set with the bits of b that have it clear.
  template <int s>
  VSH_INLINE_MEMBER static void exchange(Sse41& a, Sse41& b) {
    const __m128i m = _mm_set1_epi8(static_cast<char>(0xFF / ((1 << s) + 1)));
    const __m128i t = _mm_and_si128(_mm_xor_si128(_mm_srli_epi16(a.v, s), b.v), m);
    b.v = _mm_xor_si128(b.v, t);
    a.v = _mm_xor_si128(a.v, _mm_slli_epi16(t, s));
  }

  VSH_INLINE_MEMBER static Sse41 zip_low(Sse41 a, Sse41 b) { return {_mm_unpacklo_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Sse41 zip_high(Sse41 a, Sse41 b) { return {_mm_unpackhi_epi8(a.v, b.v)}; }

  // Byte operations, for byte-sliced kernels. greater compares signed bytes; both comparisons give 0 or ~0. look_up:
  // the bytes of the table with the numbers i (below 16).
  VSH_INLINE_MEMBER static Sse41 splat_byte(uint8_t x) { return {_mm_set1_epi8(static_cast<char>(x))}; }
  VSH_INLINE_MEMBER static Sse41 add(Sse41 a, Sse41 b) { return {_mm_add_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Sse41 subtract(Sse41 a, Sse41 b) { return {_mm_sub_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Sse41 greater(Sse41 a, Sse41 b) { return {_mm_cmpgt_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Sse41 equal(Sse41 a, Sse41 b) { return {_mm_cmpeq_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Sse41 high_nibbles(Sse41 a) { return Sse41{_mm_srli_epi16(a.v, 4)} & splat_byte(15); }
  VSH_INLINE_MEMBER static Sse41 look_up(Sse41 table, Sse41 i) { return {_mm_shuffle_epi8(table.v, i.v)}; }
};

}  // namespace
}  // namespace vsh
