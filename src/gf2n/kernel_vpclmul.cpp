// Products by VPCLMULQDQ on the registers of AVX2: Zen 3, Ice Lake, Alder Lake and later.
#include "gf2n/product_row.hpp"
#include "simd/x86.hpp"

namespace vsh {
namespace gf2n {
namespace {

struct Ymm {
  __m256i v;

  static constexpr size_t kBytes = 32;
  VSH_INLINE_MEMBER static Ymm zero() { return {_mm256_setzero_si256()}; }
  VSH_INLINE_MEMBER static Ymm in_order(Ymm a, const ByteOrder& order) {
    const __m128i lane = _mm_load_si128(reinterpret_cast<const __m128i*>(order.byte));
    return {_mm256_shuffle_epi8(a.v, _mm256_broadcastsi128_si256(lane))};
  }
  VSH_INLINE_MEMBER static Ymm load(const uint8_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  template <size_t kNumBytes>
  VSH_INLINE_MEMBER static Ymm broadcast(const uint8_t* p) {
    if constexpr (kNumBytes == 8) return {_mm256_set1_epi64x(static_cast<int64_t>(load_le64(p)))};
    else return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  VSH_INLINE_MEMBER static Ymm of_halves(uint64_t low, uint64_t high) {
    return {_mm256_set_epi64x(0, 0, static_cast<int64_t>(high), static_cast<int64_t>(low))};
  }
  VSH_INLINE_MEMBER static void sum_of_lanes(uint64_t (&sum)[2], Ymm a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(sum),
                     _mm_xor_si128(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1)));
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Ymm a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
  template <int n>
  VSH_INLINE_MEMBER static Ymm shift_left(Ymm a) {
    return {_mm256_slli_epi64(a.v, n)};
  }
  template <int n>
  VSH_INLINE_MEMBER static Ymm shift_right(Ymm a) {
    return {_mm256_srli_epi64(a.v, n)};
  }
  VSH_INLINE_MEMBER static Ymm shift_left_by_lane(Ymm a) {
    return {_mm256_sllv_epi64(a.v, _mm256_set_epi64x(1, 1, 0, 0))};
  }
  VSH_INLINE_MEMBER static Ymm shift_right_by_64_less_lane(Ymm a) {
    return {_mm256_srlv_epi64(a.v, _mm256_set_epi64x(63, 63, 64, 64))};
  }
  VSH_INLINE_MEMBER static Ymm to_high(Ymm a) { return {_mm256_bslli_epi128(a.v, 8)}; }
  template <size_t kBytesOfNumber>
  VSH_INLINE_MEMBER static Ymm add(Ymm a, Ymm b) {
    return {kBytesOfNumber == 8 ? _mm256_add_epi64(a.v, b.v) : _mm256_add_epi32(a.v, b.v)};
  }
  VSH_INLINE_MEMBER friend Ymm operator^(Ymm a, Ymm b) { return {_mm256_xor_si256(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Ymm swap_halves(Ymm a) { return {_mm256_shuffle_epi32(a.v, 0x4E)}; }
  template <int kHalf>
  VSH_INLINE_MEMBER static Ymm multiply(Ymm a, Ymm b) {
    return {_mm256_clmulepi64_epi128(a.v, b.v, 0x11 * kHalf)};
  }
};

}  // namespace
}  // namespace gf2n

extern constinit const ProductKernel vsh_kernel_gf2n_vpclmul =
    gf2n::product_row<gf2n::Ymm>("vpclmul", cpu::Isa::vpclmul, 7);

}  // namespace vsh
