// Vector of 16 bytes: Advanced SIMD of AArch64. The interface is described in bytes_sse41.hpp.
#pragma once

#include <arm_neon.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct BytesNeon {
  uint8x16_t v;

  static constexpr int kLanes = 1;

  VSH_INLINE_MEMBER static BytesNeon load(const uint8_t* p) { return {vld1q_u8(p)}; }
  VSH_INLINE_MEMBER static void store(uint8_t* p, BytesNeon a) { vst1q_u8(p, a.v); }
  VSH_INLINE_MEMBER static BytesNeon load_lanes(const uint8_t* p) { return load(p); }
  VSH_INLINE_MEMBER static void store_lane(uint8_t* p, BytesNeon a) { vst1q_u8(p, a.v); }
  VSH_INLINE_MEMBER static BytesNeon splat(uint8_t x) { return {vdupq_n_u8(x)}; }
  // 16-bit units are little-endian: zipping instead of widening is correct for either byte order.
  VSH_INLINE_MEMBER static BytesNeon load_widened(const uint8_t* p) {
    const uint8x16_t a = vcombine_u8(vld1_u8(p), vdup_n_u8(0));
    return {vzip1q_u8(a, vdupq_n_u8(0))};
  }
  VSH_INLINE_MEMBER static void store_narrowed(uint8_t* p, BytesNeon a) {
    vst1_u8(p, vget_low_u8(vuzp1q_u8(a.v, a.v)));
  }
  VSH_INLINE_MEMBER static BytesNeon splat64(uint64_t x) { return {vreinterpretq_u8_u64(vdupq_n_u64(x))}; }
  VSH_INLINE_MEMBER static BytesNeon zip_low(BytesNeon a, BytesNeon b) { return {vzip1q_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesNeon zip_high(BytesNeon a, BytesNeon b) { return {vzip2q_u8(a.v, b.v)}; }

  VSH_INLINE_MEMBER friend BytesNeon operator&(BytesNeon a, BytesNeon b) { return {vandq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesNeon operator|(BytesNeon a, BytesNeon b) { return {vorrq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend BytesNeon operator^(BytesNeon a, BytesNeon b) { return {veorq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesNeon xor3(BytesNeon a, BytesNeon b, BytesNeon c) { return a ^ b ^ c; }
  VSH_INLINE_MEMBER static BytesNeon xor_and(BytesNeon a, BytesNeon b, BytesNeon c) { return a ^ (b & c); }
  VSH_INLINE_MEMBER static BytesNeon add(BytesNeon a, BytesNeon b) { return {vaddq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesNeon sub(BytesNeon a, BytesNeon b) { return {vsubq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesNeon min(BytesNeon a, BytesNeon b) { return {vminq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static BytesNeon look_up(BytesNeon table, BytesNeon i) { return {vqtbl1q_u8(table.v, i.v)}; }
  VSH_INLINE_MEMBER static BytesNeon high_nibbles(BytesNeon a) { return {vshrq_n_u8(a.v, 4)}; }
  template <int n>
  VSH_INLINE_MEMBER static BytesNeon move_bytes(BytesNeon a) {
    const uint8x16_t zero = vdupq_n_u8(0);
    if constexpr (n > 0) return {vextq_u8(zero, a.v, 16 - n)};
    else return {vextq_u8(a.v, zero, -n)};
  }
  VSH_INLINE_MEMBER static BytesNeon odd_to_even(BytesNeon a) { return {vtrn2q_u8(a.v, vdupq_n_u8(0))}; }
  VSH_INLINE_MEMBER static BytesNeon even_to_odd(BytesNeon a) { return {vtrn1q_u8(vdupq_n_u8(0), a.v)}; }
  VSH_INLINE_MEMBER static void keep(BytesNeon& a) { __asm__ volatile("" : "+w"(a.v)); }

  static constexpr int kRegisters = 8;
  static constexpr int input_word(int reg, int) { return (reg & 1) << 2 | (reg & 2) | reg >> 2; }
  static constexpr int output_row(int reg, int) { return (reg & 1) << 2 | (reg & 2) | reg >> 2; }
  // As in bytes_sse41.hpp.
  VSH_INLINE_MEMBER static void transpose(BytesNeon (&x)[8]) {
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
  VSH_INLINE_MEMBER static void zip(BytesNeon& a, BytesNeon& b) {
    const uint16x8_t a16 = vreinterpretq_u16_u8(a.v);
    const uint16x8_t b16 = vreinterpretq_u16_u8(b.v);
    a.v = vreinterpretq_u8_u16(vzip1q_u16(a16, b16));
    b.v = vreinterpretq_u8_u16(vzip2q_u16(a16, b16));
  }
};

}  // namespace
}  // namespace vsh
