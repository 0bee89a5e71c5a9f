// Vector of bytes in 16-byte lanes, the type over which kernels with nibble look-ups are written once. This one has one
// lane, SSSE3 and SSE4.1 (Elbrus v5 and later too, where lcc translates it). All have one interface:
//   kLanes                    number of 16-byte lanes
//   load, store               all bytes, at any alignment
//   load_lanes, splat         the same 16 bytes into every lane, the same byte everywhere
//   splat64                   the same 64-bit word everywhere
//   zip_low, zip_high         bytes of the lower (upper) halves of each lane of a and b interleaved
//   load_widened              half as many bytes, each into the even byte of a 16-bit unit, the odd byte 0
//   store_narrowed            the reverse (odd bytes must be 0)
//   & | ^ xor3 xor_and        bit by bit; xor_and(a, b, c) is a ^ (b & c)
//   add sub min               byte by byte; add and sub modulo 256, min of unsigned bytes
//   store_lane                16 bytes, the lowest lane
//   look_up(table, i)         table[i] of the same lane if i < 16, 0 if i >= 128; other indices are undefined
//   high_nibbles              a >> 4 of every byte
//   move_bytes<n>             moves byte i of a lane to its place i + n, filling with 0; -16 < n < 16, not 0
//   odd_to_even, even_to_odd  moves bytes within 16-bit units, filling with 0
//   keep                      nothing, but the compiler must have the value in a register here (an empty asm
//                             statement, left out on Elbrus): it stops the compiler from starting so much
//                             work at once that registers run out, and from merging operations
// and, for 128 bytes as an 8x8 matrix of 16-bit units in kRegisters registers, a row to a lane:
//   transpose                 transposes the matrix
//   input_word, output_row    which row a register and lane holds after and before it
#pragma once

#include <smmintrin.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct BytesSse41 {
  __m128i v;

  static constexpr int kLanes = 1;

  VSH_INLINE_MEMBER static BytesSse41 load(const uint8_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, BytesSse41 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a.v);
  }
  VSH_INLINE_MEMBER static BytesSse41 load_lanes(const uint8_t* p) { return load(p); }
  VSH_INLINE_MEMBER static void store_lane(uint8_t* p, BytesSse41 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a.v);
  }
  VSH_INLINE_MEMBER static BytesSse41 splat(uint8_t x) { return {_mm_set1_epi8(static_cast<char>(x))}; }
  VSH_INLINE_MEMBER static BytesSse41 load_widened(const uint8_t* p) {
    return {_mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static void store_narrowed(uint8_t* p, BytesSse41 a) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(a.v, a.v));
  }
  VSH_INLINE_MEMBER static BytesSse41 splat64(uint64_t x) { return {_mm_set1_epi64x(static_cast<long long>(x))}; }
  VSH_INLINE_MEMBER static BytesSse41 zip_low(BytesSse41 a, BytesSse41 b) { return {_mm_unpacklo_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesSse41 zip_high(BytesSse41 a, BytesSse41 b) { return {_mm_unpackhi_epi8(a.v, b.v)}; }

  VSH_INLINE_MEMBER friend BytesSse41 operator&(BytesSse41 a, BytesSse41 b) { return {_mm_and_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesSse41 operator|(BytesSse41 a, BytesSse41 b) { return {_mm_or_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesSse41 operator^(BytesSse41 a, BytesSse41 b) { return {_mm_xor_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesSse41 xor3(BytesSse41 a, BytesSse41 b, BytesSse41 c) { return a ^ b ^ c; }
  VSH_INLINE_MEMBER static BytesSse41 xor_and(BytesSse41 a, BytesSse41 b, BytesSse41 c) { return a ^ (b & c); }
  VSH_INLINE_MEMBER static BytesSse41 add(BytesSse41 a, BytesSse41 b) { return {_mm_add_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesSse41 sub(BytesSse41 a, BytesSse41 b) { return {_mm_sub_epi8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesSse41 min(BytesSse41 a, BytesSse41 b) { return {_mm_min_epu8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesSse41 look_up(BytesSse41 table, BytesSse41 i) {
    return {_mm_shuffle_epi8(table.v, i.v)};
  }
  VSH_INLINE_MEMBER static BytesSse41 high_nibbles(BytesSse41 a) {
    return {_mm_and_si128(_mm_srli_epi16(a.v, 4), _mm_set1_epi8(15))};
  }
  template <int n>
  VSH_INLINE_MEMBER static BytesSse41 move_bytes(BytesSse41 a) {
    if constexpr (n > 0) return {_mm_slli_si128(a.v, n)};
    else return {_mm_srli_si128(a.v, -n)};
  }
  VSH_INLINE_MEMBER static BytesSse41 odd_to_even(BytesSse41 a) { return {_mm_srli_epi16(a.v, 8)}; }
  VSH_INLINE_MEMBER static BytesSse41 even_to_odd(BytesSse41 a) { return {_mm_slli_epi16(a.v, 8)}; }
#if defined(__e2k__)
  VSH_INLINE_MEMBER static void keep(BytesSse41&) {}
#else
  VSH_INLINE_MEMBER static void keep(BytesSse41& a) { __asm__ volatile("" : "+x"(a.v)); }
#endif

  static constexpr int kRegisters = 8;
  static constexpr int input_word(int reg, int) { return (reg & 1) << 2 | (reg & 2) | reg >> 2; }
  static constexpr int output_row(int reg, int) { return (reg & 1) << 2 | (reg & 2) | reg >> 2; }
  // Three steps, each of which exchanges a bit of the register number with the top bit of the unit number and
  // rotates the unit number left: register (a2 a1 a0), unit (i2 i1 i0) -> register (i0 i1 i2), unit (a0 a1
  // a2).
  VSH_INLINE_MEMBER static void transpose(BytesSse41 (&x)[8]) {
    zip(x[0], x[1]);
    zip(x[2], x[3]);
    zip(x[4], x[5]);
    zip(x[6], x[7]);
    zip(x[0], x[2]);
    zip(x[1], x[3]);
    zip(x[4], x[6]);
    zip(x[5], x[7]);
    zip(x[0], x[4]);
    zip(x[1], x[5]);
    zip(x[2], x[6]);
    zip(x[3], x[7]);
  }
  VSH_INLINE_MEMBER static void zip(BytesSse41& a, BytesSse41& b) {
    const __m128i low = _mm_unpacklo_epi16(a.v, b.v);
    b.v = _mm_unpackhi_epi16(a.v, b.v);
    a.v = low;
  }
};

}  // namespace
}  // namespace vsh
