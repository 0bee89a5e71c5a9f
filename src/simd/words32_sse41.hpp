// Four 32-bit words in 128 bits: SSE4.1. The interface of words32_*.hpp:
//     splat load load_bytes first store    words and bytes in memory; the first word
//     & ^ xor3 shift_right_4               each word
//     rotate_left_11_and_add(a, b)         (a <<< 11) + b
//     look_up(table, i)                    the bytes of the table with the numbers i (below 16)
//     kPicks                               whether there is pick_bytes(a, b, c, d): byte 0 of each word from a, byte 1
//                                          from b, byte 2 from c, byte 3 from d; and keep, as in bytes_sse41.hpp
#pragma once

#include <immintrin.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Words32Sse41 {
  __m128i v;

  VSH_INLINE_MEMBER static Words32Sse41 splat(uint32_t x) { return {_mm_set1_epi32(static_cast<int>(x))}; }
  VSH_INLINE_MEMBER static Words32Sse41 load_bytes(const uint8_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  VSH_INLINE_MEMBER static Words32Sse41 load(const uint32_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  VSH_INLINE_MEMBER static uint32_t first(Words32Sse41 a) { return static_cast<uint32_t>(_mm_cvtsi128_si32(a.v)); }
  VSH_INLINE_MEMBER static void store(uint32_t* p, Words32Sse41 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a.v);
  }

  VSH_INLINE_MEMBER friend Words32Sse41 operator&(Words32Sse41 a, Words32Sse41 b) { return {_mm_and_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Words32Sse41 operator^(Words32Sse41 a, Words32Sse41 b) { return {_mm_xor_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Words32Sse41 xor3(Words32Sse41 a, Words32Sse41 b, Words32Sse41 c) { return a ^ b ^ c; }
  VSH_INLINE_MEMBER static Words32Sse41 shift_right_4(Words32Sse41 a) { return {_mm_srli_epi32(a.v, 4)}; }
  VSH_INLINE_MEMBER static Words32Sse41 rotate_left_11_and_add(Words32Sse41 a, Words32Sse41 b) {
    return {_mm_add_epi32(_mm_add_epi32(_mm_slli_epi32(a.v, 11), b.v), _mm_srli_epi32(a.v, 21))};
  }
  VSH_INLINE_MEMBER static Words32Sse41 look_up(Words32Sse41 table, Words32Sse41 i) {
    return {_mm_shuffle_epi8(table.v, i.v)};
  }
  static constexpr bool kPicks = true;
  VSH_INLINE_MEMBER static Words32Sse41 pick_bytes(Words32Sse41 a, Words32Sse41 b, Words32Sse41 c, Words32Sse41 d) {
    const __m128i even = _mm_blend_epi16(a.v, c.v, 0xAA), odd = _mm_blend_epi16(b.v, d.v, 0xAA);
    return {_mm_blendv_epi8(even, odd, _mm_set1_epi16(-256))};
  }
#if defined(__e2k__)
  VSH_INLINE_MEMBER static void keep(Words32Sse41&) {}
#else
  VSH_INLINE_MEMBER static void keep(Words32Sse41& a) { __asm__ volatile("" : "+x"(a.v)); }
#endif
};

}  // namespace
}  // namespace vsh
