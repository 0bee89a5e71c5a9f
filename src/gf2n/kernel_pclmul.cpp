// Products by PCLMULQDQ.
#include "gf2n/product_row.hpp"
#include "simd/x86.hpp"

namespace vsh {
namespace gf2n {
namespace {

struct Xmm {
  __m128i v;

  static constexpr size_t kBytes = 16;
  VSH_INLINE_MEMBER static Xmm zero() { return {_mm_setzero_si128()}; }
  VSH_INLINE_MEMBER static Xmm in_order(Xmm a, const ByteOrder& order) {
    return {_mm_shuffle_epi8(a.v, _mm_load_si128(reinterpret_cast<const __m128i*>(order.byte)))};
  }
  VSH_INLINE_MEMBER static Xmm load(const uint8_t* p) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))}; }
  template <size_t kNumBytes>
  VSH_INLINE_MEMBER static Xmm broadcast(const uint8_t* p) {
    if constexpr (kNumBytes == 8) return {_mm_set1_epi64x(static_cast<int64_t>(load_le64(p)))};
    else return load(p);
  }
  VSH_INLINE_MEMBER static Xmm of_halves(uint64_t low, uint64_t high) {
    return {_mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low))};
  }
  VSH_INLINE_MEMBER static void sum_of_lanes(uint64_t (&sum)[2], Xmm a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(sum), a.v);
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Xmm a) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a.v); }
  template <int n>
  VSH_INLINE_MEMBER static Xmm shift_left(Xmm a) {
    return {_mm_slli_epi64(a.v, n)};
  }
  template <int n>
  VSH_INLINE_MEMBER static Xmm shift_right(Xmm a) {
    return {_mm_srli_epi64(a.v, n)};
  }
  VSH_INLINE_MEMBER static Xmm to_high(Xmm a) { return {_mm_bslli_si128(a.v, 8)}; }
  template <size_t kBytesOfNumber>
  VSH_INLINE_MEMBER static Xmm add(Xmm a, Xmm b) {
    return {kBytesOfNumber == 8 ? _mm_add_epi64(a.v, b.v) : _mm_add_epi32(a.v, b.v)};
  }
  VSH_INLINE_MEMBER friend Xmm operator^(Xmm a, Xmm b) { return {_mm_xor_si128(a.v, b.v)}; }
  VSH_INLINE_MEMBER static Xmm swap_halves(Xmm a) { return {_mm_shuffle_epi32(a.v, 0x4E)}; }
  template <int kHalf>
  VSH_INLINE_MEMBER static Xmm multiply(Xmm a, Xmm b) {
    return {_mm_clmulepi64_si128(a.v, b.v, 0x11 * kHalf)};
  }
};

}  // namespace
}  // namespace gf2n

extern constinit const ProductKernel vsh_kernel_gf2n_pclmul =
    gf2n::product_row<gf2n::Xmm>("pclmul", cpu::Isa::pclmul, 7);

}  // namespace vsh
