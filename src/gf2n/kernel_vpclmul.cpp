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
  VSH_INLINE_MEMBER static Ymm load(const uint8_t* p, const ByteOrder& order) {
    const __m128i lane = _mm_load_si128(reinterpret_cast<const __m128i*>(order.byte));
    return {_mm256_shuffle_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
                                _mm256_broadcastsi128_si256(lane))};
  }
  VSH_INLINE_MEMBER static void store(uint64_t* p, Ymm a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
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
