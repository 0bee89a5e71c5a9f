// Four 32-bit words in 128 bits: AArch64 Advanced SIMD. The interface is described in words32_sse41.hpp.
#pragma once

#include <arm_neon.h>

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Words32Neon {
  uint32x4_t v;

  VSH_INLINE_MEMBER static Words32Neon splat(uint32_t x) { return {vdupq_n_u32(x)}; }
  VSH_INLINE_MEMBER static Words32Neon load_bytes(const uint8_t* p) { return {vreinterpretq_u32_u8(vld1q_u8(p))}; }
  VSH_INLINE_MEMBER static Words32Neon load(const uint32_t* p) { return {vld1q_u32(p)}; }
  VSH_INLINE_MEMBER static uint32_t first(Words32Neon a) { return vgetq_lane_u32(a.v, 0); }
  VSH_INLINE_MEMBER static void store(uint32_t* p, Words32Neon a) { vst1q_u32(p, a.v); }

  VSH_INLINE_MEMBER friend Words32Neon operator&(Words32Neon a, Words32Neon b) { return {vandq_u32(a.v, b.v)}; }
  VSH_INLINE_MEMBER friend Words32Neon operator^(Words32Neon a, Words32Neon b) { return {veorq_u32(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Words32Neon xor3(Words32Neon a, Words32Neon b, Words32Neon c) { return a ^ b ^ c; }
  VSH_INLINE_MEMBER static Words32Neon shift_right_4(Words32Neon a) { return {vshrq_n_u32(a.v, 4)}; }
  VSH_INLINE_MEMBER static Words32Neon rotate_left_11_and_add(Words32Neon a, Words32Neon b) {
    return {vaddq_u32(vsliq_n_u32(vshrq_n_u32(a.v, 21), a.v, 11), b.v)};
  }
  static constexpr bool kPicks = false;
  VSH_INLINE_MEMBER static Words32Neon look_up(Words32Neon table, Words32Neon i) {
    return {vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(table.v), vreinterpretq_u8_u32(i.v)))};
  }
};

}  // namespace
}  // namespace vsh
