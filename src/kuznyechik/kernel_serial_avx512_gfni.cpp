// Kuznyechik one block at a time with GFNI and VBMI: the kernel of feedback modes, short messages and key schedules.
// GOST R 34.12-2015 clause 4. Lanes: 1. All 256 products of L at once: the block is kept in the field of gf2p8mulb (an
// isomorphism folded into the S-box table and the matrix), vpermb spreads each of its bytes over a 16-byte lane, four
// registers of lanes are multiplied by the columns of the matrix and added. S is vpermb over four quarters of its
// table. A round is one chain: S 8 cycles, spread 3 to 6, product 3, sums 2, lanes 6 with the key. llvm-mca 19, GCC 12,
// each block depending on the one before: 219 cycles a block on Ice Lake (13.7 a byte), 291 on Sapphire Rapids, 259 on
// Zen 4 (16.2; measured there 18.3).
#include "circuits/sbox_tables.hpp"
#include "kuznyechik/linear_maps.hpp"
#include "kuznyechik/one_block_kernel.hpp"
#include "simd/affine.hpp"
#include "simd/bytes_avx512_gfni.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

using V = BytesAvx512Gfni;

constexpr uint64_t kEnter = affine_matrix(kToGfni), kLeave = affine_matrix(inverse(kToGfni));

// One direction's S and L in gf2p8mulb's field; column j of the matrix in lane j % 4 of register j / 4.
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

VSH_INLINE V substitute(const Round& r, V x) { return V::look_up_256(r.sbox, x); }

// k + L(x) or k + L^-1(x).
VSH_INLINE V mix(const Round& r, V x, V k) {
  V term[4];
  for (int q = 0; q < 4; ++q)
    term[q] = V::product(V::look_up_64(x, V::load(kSpread.index[4 * q])), V::load(r.column[4 * q]));
  return V::fold_lanes(V::xor3(term[0], term[1], term[2]) ^ term[3], k);
}

// In gf2p8mulb's field, in every lane.
struct FieldLanes {
  V v;

  VSH_INLINE_MEMBER static FieldLanes load(const uint8_t* p) { return {V::affine(V::load_lanes(p), kEnter)}; }
  VSH_INLINE_MEMBER void store(uint8_t* p) const { V::store_lane(p, V::affine(v, kLeave)); }
  VSH_INLINE_MEMBER friend FieldLanes operator^(FieldLanes a, FieldLanes b) { return {a.v ^ b.v}; }
};

struct Products {
  using Forward = FieldLanes;
  using Backward = FieldLanes;

  VSH_INLINE_MEMBER static Forward forward(Forward x, Forward k) {
    return {mix(kForward, substitute(kForward, x.v), k.v)};
  }
  VSH_INLINE_MEMBER static Backward backward(Backward x) {
    return {substitute(kBackward, mix(kBackward, x.v, V::splat(0)))};
  }
};

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial_avx512_gfni =
    block_row<kuznyechik::OneBlock<kuznyechik::Products, 250>, kuznyechik::RoundKeys>(
        "kuznyechik", "serial_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
