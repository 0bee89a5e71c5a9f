// Emulates AVX-512 and GFNI intrinsics that SIMDe lacks or emulates by table look-ups. Only for the preset `emulated`.
// Each follows the pseudocode of Intel's Intrinsics Guide, without a branch or an address that depends on data: the
// kernels are checked for constant time over these functions too.
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

// Products of 64-bit polynomials in each lane of 128 bits of a vector; imm chooses the halves.
template <int imm, class Vector>
inline Vector clmulepi64_epi128(Vector a, Vector b) {
  constexpr int kLanes = sizeof(Vector) / sizeof(Lane128);
  Lane128 x[kLanes], y[kLanes], r[kLanes] = {};
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t p = x[lane].q[imm & 1], q = y[lane].q[imm >> 4 & 1];
    for (int i = 0; i < 64; ++i) {
      const uint64_t mask = 0 - (q >> i & 1);
      r[lane].q[0] ^= p << i & mask;
      r[lane].q[1] ^= p >> 1 >> (63 - i) & mask;
    }
  }
  Vector v;
  std::memcpy(&v, r, sizeof v);
  return v;
}

template <int imm>
inline __m512i shuffle_epi32(__m512i a) {
  const Units<uint32_t> x(a);
  Units<uint32_t> r;
  for (int i = 0; i < 16; ++i) r.u[i] = x.u[i / 4 * 4 + ((imm >> (2 * (i % 4))) & 3)];
  return r.vector();
}

// gf2p8affineqb by the columns of the matrix: each is added where x has its bit. SIMDe's is correct, but GCC compiles
// it to a form of vmovq that valgrind 3.19 does not support.
inline __m256i affine(__m256i x, __m256i matrix) {
  __m256i columns = _mm256_shuffle_epi8(
      matrix, _mm256_set_epi64x(0x08090A0B0C0D0E0F, 0x0001020304050607, 0x08090A0B0C0D0E0F, 0x0001020304050607));
  const auto exchange = [&](int distance, int64_t mask) {  // Hacker's Delight, 7-3: an 8 x 8 transposition in three
    const __m256i shifted = _mm256_srli_epi64(columns, distance);
    const __m256i d = _mm256_and_si256(_mm256_xor_si256(columns, shifted), _mm256_set1_epi64x(mask));
    columns = _mm256_xor_si256(columns, _mm256_xor_si256(d, _mm256_slli_epi64(d, distance)));
  };
  exchange(7, 0x00AA00AA00AA00AA);
  exchange(14, 0x0000CCCC0000CCCC);
  exchange(28, 0x00000000F0F0F0F0);
  const __m256i zero = _mm256_setzero_si256();
  __m256i result = zero,
          place = _mm256_set_epi64x(0x0F0F0F0F0F0F0F0F, 0x0707070707070707, 0x0F0F0F0F0F0F0F0F, 0x0707070707070707);
  for (int k = 7; k >= 0; --k) {
    const __m256i column = _mm256_shuffle_epi8(columns, place);
    result = _mm256_xor_si256(result, _mm256_and_si256(column, _mm256_cmpgt_epi8(zero, x)));
    place = _mm256_sub_epi8(place, _mm256_set1_epi8(1));
    x = _mm256_add_epi8(x, x);
  }
  return result;
}
inline __m512i affine(__m512i x, __m512i matrix) {
  __m256i r[2], m[2];
  std::memcpy(r, &x, 64);
  std::memcpy(m, &matrix, 64);
  for (int i = 0; i < 2; ++i) r[i] = affine(r[i], m[i]);
  std::memcpy(&x, r, 64);
  return x;
}

// Masks. With SIMDe the compiler may compute and use them by branches.
inline __mmask64 movepi8_mask(__m512i a) {
  __m256i halves[2];
  std::memcpy(halves, &a, 64);
  const auto bits = [](__m256i half) { return uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(half))}; };
  return bits(halves[0]) | bits(halves[1]) << 32;
}

inline __mmask64 test_epi8_mask(__m512i a, __m512i b) {
  const Units<uint8_t> x(a), y(b);
  uint64_t k = 0;
  for (int i = 0; i < 64; ++i) k |= uint64_t{(0U - (x.u[i] & y.u[i])) >> 31} << i;
  return k;
}

inline __mmask16 test_epi32_mask(__m512i a, __m512i b) {
  const Units<uint32_t> x(a), y(b);
  uint32_t k = 0;
  for (int i = 0; i < 16; ++i) {
    const uint32_t both = x.u[i] & y.u[i];
    k |= ((both | (0U - both)) >> 31) << i;
  }
  return static_cast<__mmask16>(k);
}

inline __mmask16 cmpeq_epi32_mask(__m512i a, __m512i b) {
  const Units<uint32_t> x(a), y(b);
  uint32_t k = 0;
  for (int i = 0; i < 16; ++i) {
    const uint32_t difference = x.u[i] ^ y.u[i];
    k |= (~(difference | (0U - difference)) >> 31) << i;
  }
  return static_cast<__mmask16>(k);
}

template <class Unit>
inline __m512i select(uint64_t k, __m512i clear, __m512i set) {
  Units<Unit> x(clear), y(set);
  for (size_t i = 0; i < sizeof x / sizeof(Unit); ++i)
    x.u[i] ^= (x.u[i] ^ y.u[i]) & static_cast<Unit>(0U - static_cast<uint32_t>(k >> i & 1));
  return x.vector();
}

// vpermi2d reads its whole table, whatever the index.
inline __m512i permutex2var_epi32(__m512i a, __m512i idx, __m512i b) {
  const Units<uint32_t> x(a), y(b), at(idx);
  Units<uint32_t> r;
  for (int i = 0; i < 16; ++i) {
    r.u[i] = 0;
    for (uint32_t j = 0; j < 32; ++j) r.u[i] |= (j < 16 ? x : y).u[j % 16] & (0U - ((((at.u[i] ^ j) & 31) - 1) >> 31));
  }
  return r.vector();
}

// vpermi2b: bit 6 of an index chooses the table.
inline __m512i permutex2var_epi8(__m512i a, __m512i idx, __m512i b) {
  return select<uint8_t>(test_epi8_mask(idx, _mm512_set1_epi8(0x40)), _mm512_permutexvar_epi8(idx, a),
                         _mm512_permutexvar_epi8(idx, b));
}

// vpternlog: the function of the arguments whose value for their bits i (the first one highest) is bit i of table, by
// Shannon's expansion. SIMDe has a switch of 256 cases around each: minutes of compiling for a bit-sliced kernel.
template <int table, class V>
inline V logic() {
  return table ? ~V{} : V{};
}
template <int table, class V, class... Rest>
inline V logic(V a, Rest... rest) {
  constexpr int half = 1 << sizeof...(rest), ones = (1 << half) - 1;
  constexpr int clear = table & ones, set = (table >> half) & ones;  // the functions of the rest by a's bit
  if constexpr (clear == set) {
    return logic<clear, V>(rest...);
  } else if constexpr (clear == (set ^ ones)) {
    return a ^ logic<clear, V>(rest...);
  } else {
    return (a & logic<set, V>(rest...)) | (~a & logic<clear, V>(rest...));
  }
}

}  // namespace
}  // namespace vsh::emulated

#undef _mm256_gf2p8affine_epi64_epi8
#define _mm256_gf2p8affine_epi64_epi8(x, matrix, b) \
  _mm256_xor_si256(vsh::emulated::affine(x, matrix), _mm256_set1_epi8(b))
#undef _mm512_gf2p8affine_epi64_epi8
#define _mm512_gf2p8affine_epi64_epi8(x, matrix, b) \
  _mm512_xor_si512(vsh::emulated::affine(x, matrix), _mm512_set1_epi8(b))
#undef _mm512_movepi8_mask
#define _mm512_movepi8_mask(a) vsh::emulated::movepi8_mask(a)
#undef _mm512_test_epi8_mask
#define _mm512_test_epi8_mask(a, b) vsh::emulated::test_epi8_mask(a, b)
#undef _mm512_cmpeq_epi32_mask
#define _mm512_cmpeq_epi32_mask(a, b) vsh::emulated::cmpeq_epi32_mask(a, b)
#undef _mm512_test_epi32_mask
#define _mm512_test_epi32_mask(a, b) vsh::emulated::test_epi32_mask(a, b)
#undef _mm512_permutex2var_epi32
#define _mm512_permutex2var_epi32(a, idx, b) vsh::emulated::permutex2var_epi32(a, idx, b)
#undef _mm512_permutex2var_epi8
#define _mm512_permutex2var_epi8(a, idx, b) vsh::emulated::permutex2var_epi8(a, idx, b)
#undef _mm512_mask_blend_epi32
#define _mm512_mask_blend_epi32(k, a, b) vsh::emulated::select<uint32_t>(k, a, b)
#undef _mm512_maskz_mov_epi32
#define _mm512_maskz_mov_epi32(k, a) vsh::emulated::select<uint32_t>(k, _mm512_setzero_si512(), a)
#undef _mm512_mask_ternarylogic_epi32
#define _mm512_mask_ternarylogic_epi32(a, k, b, c, table) \
  vsh::emulated::select<uint32_t>(k, a, vsh::emulated::logic<table, __m512i>(a, b, c))
#undef _mm512_mask_blend_epi8
#define _mm512_mask_blend_epi8(k, a, b) vsh::emulated::select<uint8_t>(k, a, b)
#undef _mm512_mask_mov_epi32
#define _mm512_mask_mov_epi32(src, k, a) vsh::emulated::select<uint32_t>(k, src, a)
#undef _mm512_mask_permutexvar_epi8
#define _mm512_mask_permutexvar_epi8(src, k, idx, a) \
  vsh::emulated::select<uint8_t>(k, src, _mm512_permutexvar_epi8(idx, a))
#undef _mm_ternarylogic_epi32
#define _mm_ternarylogic_epi32(a, b, c, table) vsh::emulated::logic<table, __m128i>(a, b, c)
#undef _mm256_ternarylogic_epi64
#define _mm256_ternarylogic_epi64(a, b, c, table) vsh::emulated::logic<table, __m256i>(a, b, c)
#undef _mm512_ternarylogic_epi32
#define _mm512_ternarylogic_epi32(a, b, c, table) vsh::emulated::logic<table, __m512i>(a, b, c)
#undef _mm512_ternarylogic_epi64
#define _mm512_ternarylogic_epi64(a, b, c, table) vsh::emulated::logic<table, __m512i>(a, b, c)

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
#undef _mm256_clmulepi64_epi128
#define _mm256_clmulepi64_epi128(a, b, imm) vsh::emulated::clmulepi64_epi128<imm, __m256i>(a, b)
#undef _mm512_clmulepi64_epi128
#define _mm512_clmulepi64_epi128(a, b, imm) vsh::emulated::clmulepi64_epi128<imm, __m512i>(a, b)
