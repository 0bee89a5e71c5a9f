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
  VSH_INLINE_MEMBER static Zmm load(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
  template <size_t kNumBytes>
  VSH_INLINE_MEMBER static Zmm broadcast(const uint8_t* p) {
    if constexpr (kNumBytes == 8) return {_mm512_set1_epi64(static_cast<int64_t>(load_le64(p)))};
    else return {_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static Zmm of_halves(uint64_t low, uint64_t high) {
    const __m128i lane = _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
    return {_mm512_inserti32x4(_mm512_setzero_si512(), lane, 0)};
  }
  VSH_INLINE_MEMBER static void sum_of_lanes(uint64_t (&sum)[2], Zmm a) {
    const __m256i two = _mm256_xor_si256(_mm512_castsi512_si256(a.v), _mm512_extracti64x4_epi64(a.v, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(sum),
                     _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1)));
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Zmm a) { _mm512_storeu_si512(p, a.v); }
#if !VSH_EMULATED  // SIMDe has no masked bytes
  // Returns the mask of `len` bytes, fewer than 64.
  VSH_INLINE_MEMBER static __mmask64 bytes(size_t len) { return (uint64_t{1} << len) - 1; }
  VSH_INLINE_MEMBER static Zmm load_part(const uint8_t* p, size_t len) {
    return {_mm512_maskz_loadu_epi8(bytes(len), p)};
  }
  VSH_INLINE_MEMBER static void store_part(uint8_t* p, Zmm a, size_t len) {
    _mm512_mask_storeu_epi8(p, bytes(len), a.v);
  }
  VSH_INLINE_MEMBER static Zmm first(Zmm a, size_t len) { return {_mm512_maskz_mov_epi8(bytes(len), a.v)}; }
#endif
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
