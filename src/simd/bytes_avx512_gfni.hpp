// Vector of 64 bytes with an arbitrary linear map of GF(2)^8 on every byte (GFNI) and look-ups of 256 bytes (VBMI).
// The interface of bytes_sse41.hpp, and
//   affine(a, m)   m times every byte of a, m from affine_matrix (affine.hpp)
//   product(a, b)  byte by byte, modulo x^8 + x^4 + x^3 + x + 1
//   look_up_64     table[i], i < 64, of a table in a vector
//   look_up_256    table[i] of a table in memory, read whole
#pragma once

#include "simd/bytes_avx512.hpp"

namespace vsh {
namespace {

struct BytesAvx512Gfni : BytesAvx512 {
  BytesAvx512Gfni() = default;
  VSH_INLINE_MEMBER BytesAvx512Gfni(BytesAvx512 a) : BytesAvx512(a) {}
  VSH_INLINE_MEMBER explicit BytesAvx512Gfni(__m512i a) : BytesAvx512{a} {}

  VSH_INLINE_MEMBER static BytesAvx512Gfni affine(BytesAvx512 a, uint64_t m) {
    return BytesAvx512Gfni(_mm512_gf2p8affine_epi64_epi8(a.v, _mm512_set1_epi64(static_cast<long long>(m)), 0));
  }
  VSH_INLINE_MEMBER static BytesAvx512Gfni product(BytesAvx512 a, BytesAvx512 b) {
    return BytesAvx512Gfni(_mm512_gf2p8mul_epi8(a.v, b.v));
  }

  // vpermb uses six bits of the index, masks the other two: seven instructions. vpermi2b, which uses seven bits, is
  // three micro-operations on Intel's CPUs.
  VSH_INLINE_MEMBER static BytesAvx512Gfni look_up_256(const uint8_t (&table)[256], BytesAvx512 i) {
    const __mmask64 bit6 = _mm512_test_epi8_mask(i.v, _mm512_set1_epi8(0x40));
    __m512i low = _mm512_permutexvar_epi8(i.v, _mm512_loadu_si512(table));
    __m512i high = _mm512_permutexvar_epi8(i.v, _mm512_loadu_si512(table + 128));
    low = _mm512_mask_permutexvar_epi8(low, bit6, i.v, _mm512_loadu_si512(table + 64));
    high = _mm512_mask_permutexvar_epi8(high, bit6, i.v, _mm512_loadu_si512(table + 192));
    return BytesAvx512Gfni(_mm512_mask_blend_epi8(_mm512_movepi8_mask(i.v), low, high));
  }
  // table[i] of 64 bytes, i < 64, across lanes.
  VSH_INLINE_MEMBER static BytesAvx512Gfni look_up_64(BytesAvx512 table, BytesAvx512 i) {
    return BytesAvx512Gfni(_mm512_permutexvar_epi8(i.v, table.v));
  }
};

}  // namespace
}  // namespace vsh
