// Vector of 64 bytes with an arbitrary linear map of GF(2)^8 on every byte (GFNI) and look-ups of 256 bytes (VBMI).
// The interface of bytes_sse41.hpp, and
//   affine(a, m)   m times every byte of a, m from affine_matrix (affine.hpp)
//   product(a, b)  byte by byte, modulo x^8 + x^4 + x^3 + x + 1
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

  // vpermi2b uses seven bits of the index, a mask the last. On Intel's CPUs each is three micro-operations, and as fast
  // together as four vpermb; Zen 4 starts one a cycle.
  VSH_INLINE_MEMBER static BytesAvx512Gfni look_up_256(const uint8_t (&table)[256], BytesAvx512 i) {
    const auto half = [&](const uint8_t* t) VSH_LAMBDA_INLINE {
      return _mm512_permutex2var_epi8(_mm512_loadu_si512(t), i.v, _mm512_loadu_si512(t + 64));
    };
    const __m512i low = half(table), high = half(table + 128);
    return BytesAvx512Gfni(_mm512_mask_blend_epi8(_mm512_movepi8_mask(i.v), low, high));
  }
};

}  // namespace
}  // namespace vsh
