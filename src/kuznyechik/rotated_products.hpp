// S and L of Kuznyechik on four blocks in the lanes of a register, with GFNI and VBMI, in gf2p8mulb's field (an
// isomorphism folded into the S-box table and the matrix). GOST R 34.12-2015 clause 4.
// L: byte i of the sum of the products of L's matrix m by diagonals is, with rot_r(x)_i = x_(i+r), indices modulo 16,
//     y = sum_a rot_4a( sum_b f_(a,b) rot_b(x) ),   a, b = 0 .. 3,   (f_(a,b))_i = m_(i-4a, i+b):
// 3 vpshufb, 16 gf2p8mulb and 3 vpshufd, where a product of each column needs 16 vpshufb.
// S: vpermi2b over the two halves of its table. Bound by the 16 products, which Zen 4 starts one a cycle; a round of
// one register is a chain of 8 and 26 cycles there, of which two registers overlap.
#pragma once

#include "circuits/sbox_tables.hpp"
#include "kuznyechik/bytesliced.hpp"
#include "kuznyechik/linear_maps.hpp"
#include "simd/affine.hpp"
#include "simd/bytes_avx512_gfni.hpp"

namespace vsh::kuznyechik {
namespace {

// One direction. Constants are the same in all four lanes: a load instead of a load and a shuffle.
struct RotatedRound {
  uint8_t sbox[256];
  uint8_t factor[4][4][64];
};
constexpr RotatedRound make_rotated_round(const uint8_t (&sbox)[256], const Matrix& m) {
  RotatedRound r{};
  for (int x = 0; x < 256; ++x) r.sbox[kToGfni(static_cast<unsigned>(x))] = kToGfni(sbox[x]);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < 64; ++i) r.factor[a][b][i] = kToGfni(m.column[(i + b) % 16].b[(i + 16 - 4 * a) % 16]);
  return r;
}

struct Rotations {
  uint8_t by[4][64];
};
constexpr Rotations make_rotations() {
  Rotations t{};
  for (int b = 0; b < 4; ++b)
    for (int i = 0; i < 64; ++i) t.by[b][i] = static_cast<uint8_t>((i + b) % 16);
  return t;
}

struct RotatedProducts {
  using V = BytesAvx512Gfni;

  template <Direction>
  VSH_INLINE_MEMBER static V enter(V x) {
    return V::affine(x, kEnter);
  }
  template <Direction>
  VSH_INLINE_MEMBER static V leave(V x) {
    return V::affine(x, kLeave);
  }
  template <int n, class Key>
  VSH_INLINE_MEMBER static void forward(V (&x)[n], Key key) {
    each<n>(VSH_UNROLLED(i) { x[i] = mix(kForward, V::look_up_256(kForward.sbox, x[i]), key(i)); });
  }
  template <int n, class Key>
  VSH_INLINE_MEMBER static void backward(V (&x)[n], Key key) {
    each<n>(VSH_UNROLLED(i) { x[i] = V::look_up_256(kBackward.sbox, mix(kBackward, x[i], V::splat(0))) ^ key(i); });
  }

 private:
  using Round = RotatedRound;
  static constexpr uint64_t kEnter = affine_matrix(kToGfni), kLeave = affine_matrix(inverse(kToGfni));
  alignas(64) static constexpr Round kForward = make_rotated_round(tables::kKuznyechikPi, matrix_of(l_transform));
  alignas(64) static constexpr Round kBackward = make_rotated_round(tables::kKuznyechikPiInverse, matrix_of(l_inverse));
  alignas(64) static constexpr Rotations kRotations = make_rotations();

  // k + L(x) or k + L^-1(x).
  VSH_INLINE_MEMBER static V mix(const Round& r, V x, V k) {
    const V one = rotate(x, 1), two = rotate(x, 2), three = rotate(x, 3);
    const auto sum = [&](int a) VSH_LAMBDA_INLINE {
      const auto term = [&](V v, int b) VSH_LAMBDA_INLINE { return V::product(v, V::load(r.factor[a][b])); };
      return V(V::xor3(term(x, 0), term(one, 1), term(two, 2)) ^ term(three, 3));
    };
    const V c{_mm512_shuffle_epi32(sum(3).v, _MM_PERM_CBAD)}, b{_mm512_shuffle_epi32(sum(2).v, _MM_PERM_BADC)};
    const V a{_mm512_shuffle_epi32(sum(1).v, _MM_PERM_ADCB)};
    return V::xor3(V::xor3(k, c, b), a, sum(0));
  }
  VSH_INLINE_MEMBER static V rotate(V x, int bytes) { return V::look_up(x, V::load(kRotations.by[bytes])); }
};

}  // namespace
}  // namespace vsh::kuznyechik
