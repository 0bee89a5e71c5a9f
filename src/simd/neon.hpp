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
};

}  // namespace
}  // namespace vsh
