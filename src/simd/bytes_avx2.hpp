// Vector of 32 bytes in two 16-byte lanes: AVX2. The interface is described in bytes_sse41.hpp; this one has
// exchange_lanes, too.
#pragma once

#include <immintrin.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct BytesAvx2 {
  __m256i v;

  static constexpr int kLanes = 2;

  VSH_INLINE_MEMBER static BytesAvx2 load(const uint8_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, BytesAvx2 a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
  }
  VSH_INLINE_MEMBER static BytesAvx2 load_lanes(const uint8_t* p) {
    return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static void store_lane(uint8_t* p, BytesAvx2 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(a.v));
  }
  VSH_INLINE_MEMBER static BytesAvx2 splat(uint8_t x) { return {_mm256_set1_epi8(static_cast<char>(x))}; }
  VSH_INLINE_MEMBER static BytesAvx2 load_widened(const uint8_t* p) {
    return {_mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static void store_narrowed(uint8_t* p, BytesAvx2 a) {
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(a.v, a.v), 0xD8);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
  }
  VSH_INLINE_MEMBER static BytesAvx2 splat64(uint64_t x) { return {_mm256_set1_epi64x(static_cast<long long>(x))}; }
  VSH_INLINE_MEMBER static BytesAvx2 zip_low(BytesAvx2 a, BytesAvx2 b) { return {_mm256_unpacklo_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx2 zip_high(BytesAvx2 a, BytesAvx2 b) { return {_mm256_unpackhi_epi8(a.v, b.v)}; }

  VSH_INLINE_MEMBER friend BytesAvx2 operator&(BytesAvx2 a, BytesAvx2 b) { return {_mm256_and_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesAvx2 operator|(BytesAvx2 a, BytesAvx2 b) { return {_mm256_or_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesAvx2 operator^(BytesAvx2 a, BytesAvx2 b) { return {_mm256_xor_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx2 xor3(BytesAvx2 a, BytesAvx2 b, BytesAvx2 c) { return a ^ b ^ c; }
  VSH_INLINE_MEMBER static BytesAvx2 xor_and(BytesAvx2 a, BytesAvx2 b, BytesAvx2 c) { return a ^ (b & c); }
  VSH_INLINE_MEMBER static BytesAvx2 add(BytesAvx2 a, BytesAvx2 b) { return {_mm256_add_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx2 sub(BytesAvx2 a, BytesAvx2 b) { return {_mm256_sub_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx2 min(BytesAvx2 a, BytesAvx2 b) { return {_mm256_min_epu8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesAvx2 look_up(BytesAvx2 table, BytesAvx2 i) {
    return {_mm256_shuffle_epi8(table.v, i.v)};
  }
  VSH_INLINE_MEMBER static BytesAvx2 high_nibbles(BytesAvx2 a) {
    return {_mm256_and_si256(_mm256_srli_epi16(a.v, 4), _mm256_set1_epi8(15))};
  }
  template <int n>
  VSH_INLINE_MEMBER static BytesAvx2 move_bytes(BytesAvx2 a) {
    if constexpr (n > 0) return {_mm256_slli_si256(a.v, n)};
    else return {_mm256_srli_si256(a.v, -n)};
  }
  VSH_INLINE_MEMBER static BytesAvx2 odd_to_even(BytesAvx2 a) { return {_mm256_srli_epi16(a.v, 8)}; }
  VSH_INLINE_MEMBER static BytesAvx2 even_to_odd(BytesAvx2 a) { return {_mm256_slli_epi16(a.v, 8)}; }
  VSH_INLINE_MEMBER static BytesAvx2 exchange_lanes(BytesAvx2 a) { return {_mm256_permute2x128_si256(a.v, a.v, 1)}; }
  VSH_INLINE_MEMBER static void keep(BytesAvx2& a) { __asm__ volatile("" : "+x"(a.v)); }

  static constexpr int kRegisters = 4;
  // Register (a1 a0): words a1 and a0 stand for bits 1 and 2 of the word, so that transpose needs no
  // renaming.
  static constexpr int input_word(int reg, int lane) { return (reg & 1) << 2 | (reg & 2) | lane; }
  static constexpr int output_row(int reg, int lane) { return lane << 2 | (reg & 1) << 1 | reg >> 1; }
  // Before: register (r0 r1), lane r2, 16-bit unit (i2 i1 i0). Unpacking registers that differ in r1, then
  // those that differ in r0: register (i1 i2), lane r2, unit (i0 r1 r0). vpermq exchanges r2 with i0:
  // register (i1 i2), lane i0, unit (r2 r1 r0).
  VSH_INLINE_MEMBER static void transpose(BytesAvx2 (&x)[4]) {
    const __m256i a0 = _mm256_unpacklo_epi16(x[0].v, x[1].v);
    const __m256i a1 = _mm256_unpackhi_epi16(x[0].v, x[1].v);
    const __m256i a2 = _mm256_unpacklo_epi16(x[2].v, x[3].v);
    const __m256i a3 = _mm256_unpackhi_epi16(x[2].v, x[3].v);
    x[0].v = _mm256_permute4x64_epi64(_mm256_unpacklo_epi16(a0, a2), 0xD8);
    x[1].v = _mm256_permute4x64_epi64(_mm256_unpacklo_epi16(a1, a3), 0xD8);
    x[2].v = _mm256_permute4x64_epi64(_mm256_unpackhi_epi16(a0, a2), 0xD8);
    x[3].v = _mm256_permute4x64_epi64(_mm256_unpackhi_epi16(a1, a3), 0xD8);
  }
};

}  // namespace
}  // namespace vsh
