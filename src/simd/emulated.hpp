// What SIMDe lacks of the AVX-512 and GFNI intrinsics that our kernels use, played over arrays. Only the preset `emulated`.
// Each follows the pseudocode of Intel's Intrinsics Guide.
#pragma once

#include <cstdint>
#include <cstring>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>

namespace vsh::emulated {
namespace {

struct Lane128 {
  uint64_t q[2];
};

// A 512-bit vector as an array.
template <class Unit>
struct Units {
  Unit u[64 / sizeof(Unit)];
  Units() = default;
  explicit Units(__m512i v) { std::memcpy(u, &v, 64); }
  __m512i vector() const {
    __m512i v;
    std::memcpy(&v, u, 64);
    return v;
  }
};

template <int imm>
inline __m512i shuffle_i64x2(__m512i a, __m512i b) {
  const Units<Lane128> x(a), y(b);
  Units<Lane128> r;
  for (int i = 0; i < 4; ++i) r.u[i] = (i < 2 ? x : y).u[(imm >> (2 * i)) & 3];
  return r.vector();
}

inline __m512i cvtepu8_epi16(__m256i a) {
  uint8_t x[32];
  std::memcpy(x, &a, 32);
  Units<uint16_t> r;
  for (int i = 0; i < 32; ++i) r.u[i] = x[i];
  return r.vector();
}

inline __m256i cvtepi16_epi8(__m512i a) {
  const Units<uint16_t> x(a);
  uint8_t r[32];
  for (int i = 0; i < 32; ++i) r[i] = static_cast<uint8_t>(x.u[i]);
  __m256i v;
  std::memcpy(&v, r, 32);
  return v;
}

inline __m128i cvtepi32_epi8(__m512i a) {
  const Units<uint32_t> x(a);
  uint8_t r[16];
  for (int i = 0; i < 16; ++i) r[i] = static_cast<uint8_t>(x.u[i]);
  __m128i v;
  std::memcpy(&v, r, 16);
  return v;
}

template <int imm>
inline __m512i shuffle_epi32(__m512i a) {
  const Units<uint32_t> x(a);
  Units<uint32_t> r;
  for (int i = 0; i < 16; ++i) r.u[i] = x.u[i / 4 * 4 + ((imm >> (2 * (i % 4))) & 3)];
  return r.vector();
}

}  // namespace
}  // namespace vsh::emulated

#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2(a, b, imm) vsh::emulated::shuffle_i64x2<imm>(a, b)
#undef _mm512_cvtepu8_epi16
#define _mm512_cvtepu8_epi16(a) vsh::emulated::cvtepu8_epi16(a)
#undef _mm512_cvtepi16_epi8
#define _mm512_cvtepi16_epi8(a) vsh::emulated::cvtepi16_epi8(a)
#undef _mm512_cvtepi32_epi8
#define _mm512_cvtepi32_epi8(a) vsh::emulated::cvtepi32_epi8(a)
#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32(a, imm) vsh::emulated::shuffle_epi32<static_cast<int>(imm)>(a)
