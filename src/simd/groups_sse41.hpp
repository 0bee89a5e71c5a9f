// The eight 16-bit groups of an SSE word.
#pragma once

#include "simd/sse41.hpp"

namespace vsh {
namespace {

struct GroupsSse41 {
  // Byte g of eight, all zeros or all ones, in group g.
  VSH_INLINE_MEMBER static Sse41 spread(const uint8_t* p) {
    const __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return {_mm_unpacklo_epi8(v, v)};
  }

  // r[i] group g <-> r[g] group i. Interleaving r[i] with r[i + 4] rotates the index (register, group) left by one.
  VSH_INLINE_MEMBER static void transpose(Sse41 (&r)[8]) {
    __m128i t[8];
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) {
        t[2 * i] = _mm_unpacklo_epi16(r[i].v, r[i + 4].v);
        t[2 * i + 1] = _mm_unpackhi_epi16(r[i].v, r[i + 4].v);
      }
      for (int i = 0; i < 8; ++i) r[i].v = t[i];
    }
  }

  // The rows of two messages: r[i] byte 2 j + q is byte j of row i of message q. load(q, at): 16 bytes of message q.
  template <class Load>
  VSH_INLINE_MEMBER static void load_rows(Sse41 (&r)[8], Load load) {
    for (int i = 0; i < 8; i += 2) {
      const Sse41 a = load(0, size_t{8} * i), b = load(1, size_t{8} * i);
      r[i] = Sse41::zip_low(a, b);
      r[i + 1] = Sse41::zip_high(a, b);
    }
  }
  // The inverse; store(q, at, 16 bytes).
  template <class Store>
  VSH_INLINE_MEMBER static void store_rows(const Sse41 (&r)[8], Store store) {
    const __m128i even = _mm_set1_epi16(0xFF);
    for (int i = 0; i < 8; i += 2) {
      const __m128i a = r[i].v, b = r[i + 1].v;
      store(0, size_t{8} * i, Sse41{_mm_packus_epi16(_mm_and_si128(a, even), _mm_and_si128(b, even))});
      store(1, size_t{8} * i, Sse41{_mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8))});
    }
  }
};

}  // namespace
}  // namespace vsh
