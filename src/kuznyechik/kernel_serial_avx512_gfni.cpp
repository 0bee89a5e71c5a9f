// Kuznyechik one block at a time with GFNI and VBMI: the kernel of feedback modes, short messages and key schedules.
// GOST R 34.12-2015 clause 4. Lanes: 1. All 256 products of L at once: the block is kept in the field of gf2p8mulb (an
// isomorphism folded into the S-box table and the matrix) and in both lanes of 32 bytes; vpshufb spreads a byte over
// each lane, eight registers of such lanes are multiplied by the columns of the matrix and added. S is vpermi2b over
// the two halves of its table. A round is one chain. On Zen 4 S takes 6 cycles (vpermi2b 5, the mask meanwhile), the
// products 9 (spreading 2, product 3, three more for eight pairs on two ports, a sum), lanes and key 4: 19, and 9
// rounds 171.
#include "circuits/sbox_tables.hpp"
#include "kuznyechik/linear_maps.hpp"
#include "kuznyechik/one_block_kernel.hpp"
#include "simd/affine.hpp"
#include "simd/bytes_avx2_gfni.hpp"
#include "simd/bytes_avx512_gfni.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

constexpr uint64_t kEnter = affine_matrix(kToGfni), kLeave = affine_matrix(inverse(kToGfni));

// One direction's S and L in gf2p8mulb's field; column j of the matrix in lane j % 2 of register j / 2.
struct Round {
  uint8_t sbox[256];
  uint8_t column[16][16];
};
constexpr Round make_round(const uint8_t (&sbox)[256], const Matrix& m) {
  Round r{};
  for (int x = 0; x < 256; ++x) r.sbox[kToGfni(static_cast<unsigned>(x))] = kToGfni(sbox[x]);
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i < 16; ++i) r.column[j][i] = kToGfni(m.column[j].b[i]);
  return r;
}
alignas(64) constexpr Round kForward = make_round(tables::kKuznyechikPi, matrix_of(l_transform));
alignas(64) constexpr Round kBackward = make_round(tables::kKuznyechikPiInverse, matrix_of(l_inverse));

// Indices that broadcast byte j: j, 16 times.
struct Spread {
  uint8_t index[16][16];
};
constexpr Spread make_spread() {
  Spread s{};
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i < 16; ++i) s.index[j][i] = static_cast<uint8_t>(j);
  return s;
}
alignas(64) constexpr Spread kSpread = make_spread();

// The block in both lanes, in gf2p8mulb's field.
struct FieldLanes {
  using V = BytesAvx2Gfni;
  V v;

  VSH_INLINE_MEMBER static FieldLanes load(const uint8_t* p) { return {V::affine(V::load_lanes(p), kEnter)}; }
  VSH_INLINE_MEMBER void store(uint8_t* p) const { V::store_lane(p, V::affine(v, kLeave)); }
  VSH_INLINE_MEMBER friend FieldLanes operator^(FieldLanes a, FieldLanes b) { return {V(a.v ^ b.v)}; }
};

VSH_INLINE FieldLanes substitute(const Round& r, FieldLanes x) {
  const __m512i wide = _mm512_castsi256_si512(x.v.v);  // of the upper half nothing is used
  return {BytesAvx2{_mm512_castsi512_si256(BytesAvx512Gfni::look_up_256(r.sbox, {wide}).v)}};
}

// k + L(x) or k + L^-1(x).
VSH_INLINE FieldLanes mix(const Round& r, FieldLanes x, FieldLanes k) {
  const auto term = [&](int q) VSH_LAMBDA_INLINE {
    const __m256i byte = _mm256_shuffle_epi8(x.v.v, FieldLanes::V::load(kSpread.index[2 * q]).v);
    return _mm256_gf2p8mul_epi8(byte, FieldLanes::V::load(r.column[2 * q]).v);
  };
  const auto xor3 = [](__m256i a, __m256i b, __m256i c)
                        VSH_LAMBDA_INLINE { return _mm256_ternarylogic_epi64(a, b, c, 0x96); };
  const __m256i t0 = term(0), t1 = term(1), t2 = term(2), t3 = term(3), t4 = term(4), t5 = term(5), t6 = term(6);
  const __m256i sum = xor3(xor3(xor3(t0, t1, t2), t3, t4), xor3(t5, t6, term(7)), _mm256_setzero_si256());
  return {BytesAvx2{xor3(sum, _mm256_permute2x128_si256(sum, sum, 1), k.v.v)}};
}

struct Products {
  using Forward = FieldLanes;
  using Backward = FieldLanes;

  VSH_INLINE_MEMBER static Forward forward(Forward x, Forward k) { return mix(kForward, substitute(kForward, x), k); }
  VSH_INLINE_MEMBER static Backward backward(Backward x) {
    return substitute(kBackward, mix(kBackward, x, {BytesAvx2::splat(0)}));
  }
};

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial_avx512_gfni =
    block_row<kuznyechik::OneBlock<kuznyechik::Products, 265>, kuznyechik::RoundKeys>(
        "kuznyechik", "serial_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
