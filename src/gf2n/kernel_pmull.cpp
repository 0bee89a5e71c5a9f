// Products by PMULL and PMULL2 of ARMv8, the 64-bit form that comes with the AES instructions.
#include <arm_neon.h>

#include "gf2n/product_row.hpp"

namespace vsh {
namespace gf2n {
namespace {

struct Neon {
  uint64x2_t v;

  static constexpr size_t kBytes = 16;
  VSH_INLINE_MEMBER static Neon zero() { return {vdupq_n_u64(0)}; }
  VSH_INLINE_MEMBER static Neon in_order(Neon a, const ByteOrder& order) {
    return {vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(a.v), vld1q_u8(order.byte)))};
  }
  VSH_INLINE_MEMBER static Neon load(const uint8_t* p) { return {vreinterpretq_u64_u8(vld1q_u8(p))}; }
  template <size_t kNumBytes>
  VSH_INLINE_MEMBER static Neon broadcast(const uint8_t* p) {
    if constexpr (kNumBytes == 8) return {vdupq_n_u64(load_le64(p))};
    else return load(p);
  }
  VSH_INLINE_MEMBER static Neon of_halves(uint64_t low, uint64_t high) {
    return {vcombine_u64(vcreate_u64(low), vcreate_u64(high))};
  }
  VSH_INLINE_MEMBER static void sum_of_lanes(uint64_t (&sum)[2], Neon a) { vst1q_u64(sum, a.v); }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Neon a) { vst1q_u8(p, vreinterpretq_u8_u64(a.v)); }
  template <int n>
  VSH_INLINE_MEMBER static Neon shift_left(Neon a) {
    return {vshlq_n_u64(a.v, n)};
  }
  template <int n>
  VSH_INLINE_MEMBER static Neon shift_right(Neon a) {
    return {vshrq_n_u64(a.v, n)};
  }
  VSH_INLINE_MEMBER static Neon to_high(Neon a) { return {vextq_u64(vdupq_n_u64(0), a.v, 1)}; }
  template <size_t kBytesOfNumber>
  VSH_INLINE_MEMBER static Neon add(Neon a, Neon b) {
    if constexpr (kBytesOfNumber == 8) return {vaddq_u64(a.v, b.v)};
    else return {vreinterpretq_u64_u32(vaddq_u32(vreinterpretq_u32_u64(a.v), vreinterpretq_u32_u64(b.v)))};
  }
  VSH_INLINE_MEMBER friend Neon operator^(Neon a, Neon b) { return {veorq_u64(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Neon swap_halves(Neon a) { return {vextq_u64(a.v, a.v, 1)}; }
  template <int kHalf>
  VSH_INLINE_MEMBER static Neon multiply(Neon a, Neon b) {
    const poly64x2_t x = vreinterpretq_p64_u64(a.v), y = vreinterpretq_p64_u64(b.v);
    const poly128_t product = kHalf ? vmull_high_p64(x, y) : vmull_p64(vgetq_lane_p64(x, 0), vgetq_lane_p64(y, 0));
    return {vreinterpretq_u64_p128(product)};
  }
};

}  // namespace
}  // namespace gf2n

extern constinit const ProductKernel vsh_kernel_gf2n_pmull = gf2n::product_row<gf2n::Neon>("pmull", cpu::Isa::pmull, 8);

}  // namespace vsh
