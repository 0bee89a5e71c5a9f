// Four 32-bit words in 128 bits: AVX-512VL, which rotates and adds three. The interface is described in
// words32_sse41.hpp.
#pragma once

#include "simd/x86.hpp"

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Words32Avx512 {
  __m128i v;

  VSH_INLINE_MEMBER static Words32Avx512 splat(uint32_t x) { return {_mm_set1_epi32(static_cast<int>(x))}; }
  VSH_INLINE_MEMBER static Words32Avx512 load_bytes(const uint8_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  VSH_INLINE_MEMBER static Words32Avx512 load(const uint32_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  VSH_INLINE_MEMBER static uint32_t first(Words32Avx512 a) { return static_cast<uint32_t>(_mm_cvtsi128_si32(a.v)); }
  VSH_INLINE_MEMBER static void store(uint32_t* p, Words32Avx512 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a.v);
  }

  VSH_INLINE_MEMBER friend Words32Avx512 operator&(Words32Avx512 a, Words32Avx512 b) {
    return {_mm_and_si128(a.v, b.v)};
  }
  VSH_INLINE_MEMBER friend Words32Avx512 operator^(Words32Avx512 a, Words32Avx512 b) {
    return {_mm_xor_si128(a.v, b.v)};
  }
  VSH_INLINE_MEMBER static Words32Avx512 xor3(Words32Avx512 a, Words32Avx512 b, Words32Avx512 c) {
    return {_mm_ternarylogic_epi32(a.v, b.v, c.v, 0x96)};
  }
  VSH_INLINE_MEMBER static Words32Avx512 shift_right_4(Words32Avx512 a) { return {_mm_srli_epi32(a.v, 4)}; }
  VSH_INLINE_MEMBER static Words32Avx512 rotate_left_11_and_add(Words32Avx512 a, Words32Avx512 b) {
    return {_mm_add_epi32(_mm_rol_epi32(a.v, 11), b.v)};
  }
  static constexpr bool kPicks = false;
  VSH_INLINE_MEMBER static Words32Avx512 look_up(Words32Avx512 table, Words32Avx512 i) {
    return {_mm_shuffle_epi8(table.v, i.v)};
  }
};

}  // namespace
}  // namespace vsh
