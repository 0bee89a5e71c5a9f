// Bit-sliced word of 128 lanes: AArch64 Advanced SIMD.
#pragma once

#include <arm_neon.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Neon {
  uint8x16_t v;

  static constexpr size_t kBytes = 16;
  static constexpr bool has_ternary = false;

  VSH_INLINE_MEMBER static Neon load(const uint8_t* p) { return {vld1q_u8(p)}; }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Neon a) { vst1q_u8(p, a.v); }
  VSH_INLINE_MEMBER static Neon splat_mask(const uint32_t* m) { return {vreinterpretq_u8_u32(vld1q_dup_u32(m))}; }
  VSH_INLINE_MEMBER static Neon zero() { return {vdupq_n_u8(0)}; }

  VSH_INLINE_MEMBER friend Neon operator&(Neon a, Neon b) { return {vandq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Neon operator|(Neon a, Neon b) { return {vorrq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Neon operator^(Neon a, Neon b) { return {veorq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Neon operator~(Neon a) { return {vmvnq_u8(a.v)}; }
  VSH_INLINE_MEMBER static Neon select(Neon m, Neon a, Neon b) { return {vbslq_u8(m.v, a.v, b.v)}; }
  VSH_INLINE_MEMBER static Neon andnot(Neon a, Neon b) { return {vbicq_u8(b.v, a.v)}; }

  // Swaps the bits of a whose position in a byte has bit `s` (1, 2, 4) set with the bits of b that have it clear.
  template <int s>
  VSH_INLINE_MEMBER static void exchange(Neon& a, Neon& b) {
    const uint8x16_t m = vdupq_n_u8(static_cast<uint8_t>(0xFF / ((1 << s) + 1)));
    const uint8x16_t up = vshlq_n_u8(b.v, s);
    const uint8x16_t down = vshrq_n_u8(a.v, s);
    a.v = vbslq_u8(m, a.v, up);
    b.v = vbslq_u8(m, down, b.v);
  }

  VSH_INLINE_MEMBER static Neon zip_low(Neon a, Neon b) { return {vzip1q_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Neon zip_high(Neon a, Neon b) { return {vzip2q_u8(a.v, b.v)}; }

  // Byte operations, for byte-sliced kernels. greater compares signed bytes; both comparisons give 0 or ~0. look_up:
  // the bytes of the table with the numbers i (below 16).
  VSH_INLINE_MEMBER static Neon splat_byte(uint8_t x) { return {vdupq_n_u8(x)}; }
  VSH_INLINE_MEMBER static Neon add(Neon a, Neon b) { return {vaddq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Neon subtract(Neon a, Neon b) { return {vsubq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Neon greater(Neon a, Neon b) {
    return {vcgtq_s8(vreinterpretq_s8_u8(a.v), vreinterpretq_s8_u8(b.v))};
  }
  VSH_INLINE_MEMBER static Neon equal(Neon a, Neon b) { return {vceqq_u8(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Neon high_nibbles(Neon a) { return {vshrq_n_u8(a.v, 4)}; }
  VSH_INLINE_MEMBER static Neon look_up(Neon table, Neon i) { return {vqtbl1q_u8(table.v, i.v)}; }
};

}  // namespace
}  // namespace vsh
