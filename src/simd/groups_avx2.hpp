// The eight 32-bit groups of an AVX2 word.
#pragma once

#include "simd/avx2.hpp"

namespace vsh {
namespace {

struct GroupsAvx2 {
  // Byte g of eight, all zeros or all ones, in group g.
  VSH_INLINE_MEMBER static Avx2 spread(const uint8_t* p) {
    return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }

  // r[i] group g <-> r[g] group i.
  VSH_INLINE_MEMBER static void transpose(Avx2 (&r)[8]) {
    __m256i t[8], u[8];
    for (int i = 0; i < 4; ++i) {  // the halves
      t[i] = _mm256_permute2x128_si256(r[i].v, r[i + 4].v, 0x20);
      t[i + 4] = _mm256_permute2x128_si256(r[i].v, r[i + 4].v, 0x31);
    }
    for (int i = 0; i < 8; i += 4)
      for (int k = 0; k < 2; ++k) {
        u[i + k] = _mm256_unpacklo_epi32(t[i + k], t[i + k + 2]);
        u[i + k + 2] = _mm256_unpackhi_epi32(t[i + k], t[i + k + 2]);
      }
    for (int i = 0; i < 8; i += 2) {
      r[i].v = _mm256_unpacklo_epi32(u[i], u[i + 1]);
      r[i + 1].v = _mm256_unpackhi_epi32(u[i], u[i + 1]);
    }
  }

  // The rows of four messages: r[i] byte 4 j + q is byte j of row i of message q. load(q, at): 32 bytes of message q.
  template <class Load>
  VSH_INLINE_MEMBER static void load_rows(Avx2 (&r)[8], Load load) {
    for (int half = 0; half < 2; ++half) {
      __m256i a[4], t[4];
      for (uint32_t q = 0; q < 4; ++q) a[q] = load(q, size_t{32} * half).v;
      for (int k = 0; k < 2; ++k) {
        t[k] = _mm256_unpacklo_epi8(a[2 * k], a[2 * k + 1]);
        t[k + 2] = _mm256_unpackhi_epi8(a[2 * k], a[2 * k + 1]);
      }
      for (int k = 0; k < 2; ++k) {  // row k in the lower lane, row k + 2 in the upper
        const __m256i low = _mm256_unpacklo_epi16(t[2 * k], t[2 * k + 1]);
        const __m256i high = _mm256_unpackhi_epi16(t[2 * k], t[2 * k + 1]);
        r[4 * half + k].v = _mm256_permute2x128_si256(low, high, 0x20);
        r[4 * half + k + 2].v = _mm256_permute2x128_si256(low, high, 0x31);
      }
    }
  }
  // The inverse; store(q, at, 32 bytes).
  template <class Store>
  VSH_INLINE_MEMBER static void store_rows(const Avx2 (&r)[8], Store store) {
    const __m256i bytes_together = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,  //
                                                    0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (int half = 0; half < 2; ++half) {
      __m256i low[2], high[2], t[4];
      for (int k = 0; k < 2; ++k) {
        const __m256i a = r[4 * half + k].v, b = r[4 * half + k + 2].v;
        // Lane: bytes 0 … 3 of a row for q = 0 … 3; then bytes 4 … 7.
        low[k] = _mm256_shuffle_epi8(_mm256_permute2x128_si256(a, b, 0x20), bytes_together);
        high[k] = _mm256_shuffle_epi8(_mm256_permute2x128_si256(a, b, 0x31), bytes_together);
        t[k] = _mm256_unpacklo_epi32(low[k], high[k]);      // row k of q = 0, 1
        t[k + 2] = _mm256_unpackhi_epi32(low[k], high[k]);  // of q = 2, 3
      }
      for (uint32_t k = 0; k < 2; ++k) {
        store(2 * k, size_t{32} * half, Avx2{_mm256_unpacklo_epi64(t[2 * k], t[2 * k + 1])});
        store(2 * k + 1, size_t{32} * half, Avx2{_mm256_unpackhi_epi64(t[2 * k], t[2 * k + 1])});
      }
    }
  }
};

}  // namespace
}  // namespace vsh
