// The eight 64-bit groups of an AVX-512 word.
#pragma once

#include "simd/avx512.hpp"

namespace vsh {
namespace {

struct GroupsAvx512 {
  // Byte g of eight, all zeros or all ones, in group g.
  VSH_INLINE_MEMBER static Avx512 spread(const uint8_t* p) {
    const __m512i byte =
        _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                         0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    return {_mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<int64_t>(load_le64(p))), byte)};
  }

  // r[i] group g <-> r[g] group i.
  VSH_INLINE_MEMBER static void transpose(Avx512 (&r)[8]) {
    __m512i t[8];
    for (int i = 0; i < 8; i += 2) {  // pairs of groups inside a lane
      t[i] = _mm512_unpacklo_epi64(r[i].v, r[i + 1].v);
      t[i + 1] = _mm512_unpackhi_epi64(r[i].v, r[i + 1].v);
    }
    for (int i = 0; i < 2; ++i) {  // then lanes: t[i], t[i + 2], t[i + 4], t[i + 6]
      __m512i u[4] = {t[i], t[i + 2], t[i + 4], t[i + 6]};
      transpose_lanes(u);
      for (int k = 0; k < 4; ++k) r[2 * k + i].v = u[k];
    }
  }

  // The rows of eight messages: r[i] byte 8 j + q is byte j of row i of message q. load(q, 0): message q.
  template <class Load>
  VSH_INLINE_MEMBER static void load_rows(Avx512 (&r)[8], Load load) {
    __m512i a[8], t[8];
    for (uint32_t q = 0; q < 8; ++q) a[q] = load(q, 0).v;
    // Lane k holds rows 2 k and 2 k + 1. Interleave bytes of q and q + 4, then q and q + 2, then q and q + 1.
    for (int q = 0; q < 4; ++q) {
      t[q] = _mm512_unpacklo_epi8(a[q], a[q + 4]);      // rows 2 k
      t[q + 4] = _mm512_unpackhi_epi8(a[q], a[q + 4]);  // rows 2 k + 1
    }
    for (int p = 0; p < 2; ++p) {
      __m512i u[4], v[4];
      for (int q = 0; q < 2; ++q) {
        u[q] = _mm512_unpacklo_epi8(t[4 * p + q], t[4 * p + q + 2]);      // bytes j = 0 … 3
        u[q + 2] = _mm512_unpackhi_epi8(t[4 * p + q], t[4 * p + q + 2]);  // 4 … 7
      }
      for (int q = 0; q < 2; ++q) {
        v[2 * q] = _mm512_unpacklo_epi8(u[2 * q], u[2 * q + 1]);
        v[2 * q + 1] = _mm512_unpackhi_epi8(u[2 * q], u[2 * q + 1]);
      }
      transpose_lanes(v);  // v[c] lane k: bytes 2 c, 2 c + 1 of row 2 k + p
      for (int k = 0; k < 4; ++k) r[2 * k + p].v = v[k];
    }
  }
  // The inverse; store(q, 0, message q).
  template <class Store>
  VSH_INLINE_MEMBER static void store_rows(const Avx512 (&r)[8], Store store) {
    const __m512i bytes_together = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));  // q: bytes 2 c, 2 c + 1
    __m512i t[8];
    for (int p = 0; p < 2; ++p) {
      __m512i v[4], u[4];
      for (int k = 0; k < 4; ++k) v[k] = r[2 * k + p].v;
      transpose_lanes(v);
      for (int c = 0; c < 4; ++c) v[c] = _mm512_shuffle_epi8(v[c], bytes_together);
      for (int c = 0; c < 2; ++c) {  // 16-bit pairs of c and c + 1 become 32-bit quarters of a row
        u[c] = _mm512_unpacklo_epi16(v[2 * c], v[2 * c + 1]);      // q = 0 … 3
        u[c + 2] = _mm512_unpackhi_epi16(v[2 * c], v[2 * c + 1]);  // q = 4 … 7
      }
      for (int q = 0; q < 2; ++q) {
        t[4 * p + 2 * q] = _mm512_unpacklo_epi32(u[2 * q], u[2 * q + 1]);  // rows of two messages
        t[4 * p + 2 * q + 1] = _mm512_unpackhi_epi32(u[2 * q], u[2 * q + 1]);
      }
    }
    for (uint32_t q = 0; q < 4; ++q) {
      store(2 * q, 0, Avx512{_mm512_unpacklo_epi64(t[q], t[q + 4])});
      store(2 * q + 1, 0, Avx512{_mm512_unpackhi_epi64(t[q], t[q + 4])});
    }
  }

 private:
  // r[i] lane k <-> r[k] lane i, lanes of 128 bits.
  VSH_INLINE_MEMBER static void transpose_lanes(__m512i (&r)[4]) {
    const __m512i a = _mm512_shuffle_i64x2(r[0], r[1], 0x88), b = _mm512_shuffle_i64x2(r[0], r[1], 0xDD);
    const __m512i c = _mm512_shuffle_i64x2(r[2], r[3], 0x88), d = _mm512_shuffle_i64x2(r[2], r[3], 0xDD);
    r[0] = _mm512_shuffle_i64x2(a, c, 0x88);
    r[1] = _mm512_shuffle_i64x2(b, d, 0x88);
    r[2] = _mm512_shuffle_i64x2(a, c, 0xDD);
    r[3] = _mm512_shuffle_i64x2(b, d, 0xDD);
  }
};

}  // namespace
}  // namespace vsh
