// Products by VPCLMULQDQ on the registers of AVX-512: Ice Lake, Sapphire Rapids, Zen 4 and later.
#include "gf2n/product_row.hpp"
#include "simd/x86.hpp"

namespace vsh {
namespace gf2n {
namespace {

struct Zmm {
  __m512i v;

  static constexpr size_t kBytes = 64;
  VSH_INLINE_MEMBER static Zmm zero() { return {_mm512_setzero_si512()}; }
  VSH_INLINE_MEMBER static Zmm in_order(Zmm a, const ByteOrder& order) {
    const __m128i lane = _mm_load_si128(reinterpret_cast<const __m128i*>(order.byte));
    return {_mm512_shuffle_epi8(a.v, _mm512_broadcast_i32x4(lane))};
  }
  VSH_INLINE_MEMBER static void store(uint64_t* p, Zmm a) { _mm512_storeu_si512(p, a.v); }
  VSH_INLINE_MEMBER static Zmm load(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
  VSH_INLINE_MEMBER static Zmm broadcast(const uint8_t* p) {
    return {_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Zmm a) { _mm512_storeu_si512(p, a.v); }
  template <int n>
  VSH_INLINE_MEMBER static Zmm shift_left(Zmm a) {
    return {_mm512_slli_epi64(a.v, n)};
  }
  template <int n>
  VSH_INLINE_MEMBER static Zmm shift_right(Zmm a) {
    return {_mm512_srli_epi64(a.v, n)};
  }
  VSH_INLINE_MEMBER static Zmm shift_left_by_lane(Zmm a) {
    return {_mm512_sllv_epi64(a.v, _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0))};
  }
  VSH_INLINE_MEMBER static Zmm shift_right_by_64_less_lane(Zmm a) {
    return {_mm512_srlv_epi64(a.v, _mm512_set_epi64(61, 61, 62, 62, 63, 63, 64, 64))};
  }
  VSH_INLINE_MEMBER static Zmm to_high(Zmm a) { return {_mm512_unpacklo_epi64(_mm512_setzero_si512(), a.v)}; }
  template <size_t kBytesOfNumber>
  VSH_INLINE_MEMBER static Zmm add(Zmm a, Zmm b) {
    return {kBytesOfNumber == 8 ? _mm512_add_epi64(a.v, b.v) : _mm512_add_epi32(a.v, b.v)};
  }
  VSH_INLINE_MEMBER friend Zmm operator^(Zmm a, Zmm b) { return {_mm512_xor_si512(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Zmm swap_halves(Zmm a) { return {_mm512_shuffle_epi32(a.v, _MM_PERM_BADC)}; }
  template <int kHalf>
  VSH_INLINE_MEMBER static Zmm multiply(Zmm a, Zmm b) {
    return {_mm512_clmulepi64_epi128(a.v, b.v, 0x11 * kHalf)};
  }
};

}  // namespace
}  // namespace gf2n

extern constinit const ProductKernel vsh_kernel_gf2n_avx512_vpclmul =
    gf2n::product_row<gf2n::Zmm>("avx512_vpclmul", cpu::Isa::avx512_vpclmul, 7);

}  // namespace vsh
