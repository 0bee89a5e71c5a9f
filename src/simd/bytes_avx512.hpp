// Vector of 64 bytes in four 16-byte lanes: AVX-512F/BW. The interface is described in bytes_sse41.hpp; without
// move_bytes, and with fold_lanes.
#pragma once

#include "simd/lines_avx512.hpp"
#include "simd/x86.hpp"

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct BytesAvx512 {
  __m512i v;

  static constexpr int kLanes = 4;
  template <size_t kBlock>
  using Lines = LinesAvx512<kBlock>;

  VSH_INLINE_MEMBER static BytesAvx512 load(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
  VSH_INLINE_MEMBER static void store(uint8_t* p, BytesAvx512 a) { _mm512_storeu_si512(p, a.v); }
  VSH_INLINE_MEMBER static BytesAvx512 load_lanes(const uint8_t* p) {
    return {_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static void store_lane(uint8_t* p, BytesAvx512 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_castsi512_si128(a.v));
  }
  VSH_INLINE_MEMBER static BytesAvx512 splat(uint8_t x) { return {_mm512_set1_epi8(static_cast<char>(x))}; }
  VSH_INLINE_MEMBER static BytesAvx512 load_widened(const uint8_t* p) {
    return {_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  VSH_INLINE_MEMBER static void store_narrowed(uint8_t* p, BytesAvx512 a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi16_epi8(a.v));
  }
  VSH_INLINE_MEMBER static BytesAvx512 splat64(uint64_t x) { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
  VSH_INLINE_MEMBER static BytesAvx512 zip_low(BytesAvx512 a, BytesAvx512 b) {
    return {_mm512_unpacklo_epi8(a.v, b.v)};
  }
  VSH_INLINE_MEMBER static BytesAvx512 zip_high(BytesAvx512 a, BytesAvx512 b) {
    return {_mm512_unpackhi_epi8(a.v, b.v)};
  }

  VSH_INLINE_MEMBER friend BytesAvx512 operator&(BytesAvx512 a, BytesAvx512 b) { return {_mm512_and_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesAvx512 operator|(BytesAvx512 a, BytesAvx512 b) { return {_mm512_or_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesAvx512 operator^(BytesAvx512 a, BytesAvx512 b) { return {_mm512_xor_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx512 xor3(BytesAvx512 a, BytesAvx512 b, BytesAvx512 c) {
    return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0x96)};
  }
  VSH_INLINE_MEMBER static BytesAvx512 xor_and(BytesAvx512 a, BytesAvx512 b, BytesAvx512 c) {
    return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0x78)};
  }
  VSH_INLINE_MEMBER static BytesAvx512 add(BytesAvx512 a, BytesAvx512 b) { return {_mm512_add_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx512 sub(BytesAvx512 a, BytesAvx512 b) { return {_mm512_sub_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx512 min(BytesAvx512 a, BytesAvx512 b) { return {_mm512_min_epu8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx512 look_up(BytesAvx512 table, BytesAvx512 i) {
    return {_mm512_shuffle_epi8(table.v, i.v)};
  }
  // Returns the XOR of all lanes and of b: three parallel shuffles, four cycles faster than two dependent ones.
  VSH_INLINE_MEMBER static BytesAvx512 fold_lanes(BytesAvx512 a, BytesAvx512 b) {
    const __m512i a1 = _mm512_shuffle_i64x2(a.v, a.v, 0x39), a2 = _mm512_shuffle_i64x2(a.v, a.v, 0x4E);
    const __m512i a3 = _mm512_shuffle_i64x2(a.v, a.v, 0x93);
    const __m512i sum = _mm512_ternarylogic_epi64(a.v, a1, a2, 0x96);
    return {_mm512_ternarylogic_epi64(sum, a3, b.v, 0x96)};
  }
  VSH_INLINE_MEMBER static BytesAvx512 high_nibbles(BytesAvx512 a) {
    return {_mm512_and_si512(_mm512_srli_epi16(a.v, 4), _mm512_set1_epi8(15))};
  }
  VSH_INLINE_MEMBER static BytesAvx512 odd_to_even(BytesAvx512 a) { return {_mm512_srli_epi16(a.v, 8)}; }
  VSH_INLINE_MEMBER static BytesAvx512 even_to_odd(BytesAvx512 a) { return {_mm512_slli_epi16(a.v, 8)}; }
  VSH_INLINE_MEMBER static void keep(BytesAvx512& a) { __asm__ volatile("" : "+" VSH_ANY_REGISTER(a.v)); }

  static constexpr int kRegisters = 2;
  static constexpr int input_word(int reg, int lane) { return 4 * reg + lane; }
  static constexpr int output_row(int reg, int lane) { return 2 * lane + reg; }
  // Before: register (r0), lane (r2 r1), 16-bit unit (i2 i1 i0). Unpacking exchanges r0 with i2 and rotates:
  // register i2, lane (r2 r1), unit (i1 i0 r0). vpermd transposes the 4x4 matrix of lanes and 32-bit units:
  // register i2, lane (i1 i0), unit (r2 r1 r0).
  VSH_INLINE_MEMBER static void transpose(BytesAvx512 (&x)[2]) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    BytesAvx512 low{_mm512_unpacklo_epi16(x[0].v, x[1].v)};
    BytesAvx512 high{_mm512_unpackhi_epi16(x[0].v, x[1].v)};
    keep(low);  // else Clang merges two instructions into one vpermt2w: three times as slow
    keep(high);
    x[0].v = _mm512_permutexvar_epi32(order, low.v);
    x[1].v = _mm512_permutexvar_epi32(order, high.v);
  }
};

}  // namespace
}  // namespace vsh
