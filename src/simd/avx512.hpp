// Bit-sliced word of 512 lanes: AVX-512F/BW. Every three-input function is one vpternlog.
#pragma once

#include "simd/lines_avx512.hpp"
#include "simd/x86.hpp"

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Avx512 {
  __m512i v;

  static constexpr size_t kBytes = 64;
  template <size_t kBlock>
  using Lines = LinesAvx512<kBlock>;
  static constexpr bool has_ternary = true;

  VSH_INLINE_MEMBER static Avx512 load(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Avx512 a) { _mm512_storeu_si512(p, a.v); }
  VSH_INLINE_MEMBER static Avx512 splat_mask(const uint32_t* m) { return {_mm512_set1_epi32(static_cast<int>(*m))}; }
  VSH_INLINE_MEMBER static Avx512 zero() { return {_mm512_setzero_si512()}; }

  VSH_INLINE_MEMBER friend Avx512 operator&(Avx512 a, Avx512 b) { return {_mm512_and_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Avx512 operator|(Avx512 a, Avx512 b) { return {_mm512_or_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Avx512 operator^(Avx512 a, Avx512 b) { return {_mm512_xor_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Avx512 operator~(Avx512 a) { return {_mm512_ternarylogic_epi32(a.v, a.v, a.v, 0x0F)}; }
  VSH_INLINE_MEMBER static Avx512 andnot(Avx512 a, Avx512 b) { return {_mm512_andnot_si512(a.v, b.v)}; }
  // Bit (a << 2 | b << 1 | c) of imm.
  template <int imm>
  VSH_INLINE_MEMBER static Avx512 ternary(Avx512 a, Avx512 b, Avx512 c) {
    return {_mm512_ternarylogic_epi32(a.v, b.v, c.v, imm)};
  }

  // Swaps the bits of a whose position in a byte has bit `s` (1, 2, 4) set with the bits of b that have it clear.
  template <int s>
  VSH_INLINE_MEMBER static void exchange(Avx512& a, Avx512& b) {
    const __m512i m = _mm512_set1_epi8(static_cast<char>(0xFF / ((1 << s) + 1)));
    const __m512i up = _mm512_slli_epi16(b.v, s);
    const __m512i down = _mm512_srli_epi16(a.v, s);
    a.v = _mm512_ternarylogic_epi32(m, a.v, up, 0xCA);    // m ? a : up
    b.v = _mm512_ternarylogic_epi32(m, down, b.v, 0xCA);  // m ? down : b
  }

  VSH_INLINE_MEMBER static Avx512 zip_low(Avx512 a, Avx512 b) { return {_mm512_unpacklo_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Avx512 zip_high(Avx512 a, Avx512 b) { return {_mm512_unpackhi_epi8(a.v, b.v)}; }
};

}  // namespace
}  // namespace vsh
