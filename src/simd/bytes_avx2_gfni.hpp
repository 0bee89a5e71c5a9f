// Vector of 32 bytes with an arbitrary linear map of GF(2)^8 on every byte: AVX2 and GFNI (client CPUs without
// AVX-512). The interface of bytes_sse41.hpp, and affine as in bytes_avx512_gfni.hpp.
#pragma once

#include "simd/x86.hpp"

#include "simd/bytes_avx2.hpp"

namespace vsh {
namespace {

struct BytesAvx2Gfni : BytesAvx2 {
  BytesAvx2Gfni() = default;
  VSH_INLINE_MEMBER BytesAvx2Gfni(BytesAvx2 a) : BytesAvx2(a) {}

  VSH_INLINE_MEMBER static BytesAvx2Gfni affine(BytesAvx2 a, uint64_t m) {
    return BytesAvx2{_mm256_gf2p8affine_epi64_epi8(a.v, _mm256_set1_epi64x(static_cast<long long>(m)), 0)};
  }
  VSH_INLINE_MEMBER static BytesAvx2Gfni high_nibbles(BytesAvx2 a) {
    return affine(a, 0x1020408000000000);  // bits 7 .. 4 to bits 3 .. 0
  }
};

}  // namespace
}  // namespace vsh
