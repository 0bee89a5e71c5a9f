// The layer of bytesliced.hpp for CPUs with GFNI, where any linear map of GF(2)^8 is one instruction.
//
// l has seven factors other than 1, and they read the same from both ends, so a step takes pairs. Multiplied by the
// quotients of neighbouring factors, from the inside out,
//     148 (z_15 + z_1 + 32/148 (z_14 + z_2 + 133/32 (z_13 + z_3 + ... + 192/194 (z_10 + z_6 + 251/192 z_8) ...))),
// every pair enters by one three-input XOR, and the result of the step before (z_15) enters last. With z_9 + z_7 + z_0
// + key: seven maps and eight XORs a step. Products commute with a change of basis that is folded into the maps, so the
// substitution chooses the bases: Sbox<d>::kBasis maps bytes in memory to its basis.
#pragma once

#include "kuznyechik/bytesliced.hpp"
#include "kuznyechik/linear_maps.hpp"
#include "simd/affine.hpp"

namespace vsh::kuznyechik {
namespace {

constexpr uint8_t field_quotient(uint8_t a, uint8_t b) { return inverse(product_by(b))(a); }

struct FactorMaps {
  uint64_t factor[kNumFactors];
  uint64_t quotient[kNumFactors];  // by which the sum of all inner terms is multiplied before term i - 1 is added
};
constexpr FactorMaps make_factor_maps(const LinearMap& basis) {
  FactorMaps m{};
  const auto map = [&](uint8_t c) { return affine_matrix(basis * product_by(c) * inverse(basis)); };
  for (int i = 0; i < kNumFactors; ++i) {
    m.factor[i] = map(factor(i));
    if (i > 0) m.quotient[i] = map(field_quotient(factor(i), factor(i - 1)));
  }
  return m;
}

template <class Vector, template <Direction> class Sbox, Direction d>
struct AffineLayer {
  using V = Vector;
  static constexpr LinearMap kBasis = Sbox<d>::kBasis;
  static constexpr FactorMaps kMaps = make_factor_maps(kBasis);

  VSH_INLINE_MEMBER static V enter(V v) { return change_basis<affine_matrix(kBasis)>(v); }
  VSH_INLINE_MEMBER static V leave(V b) { return change_basis<affine_matrix(inverse(kBasis))>(b); }
  VSH_INLINE_MEMBER static V substitute(V b) { return Sbox<d>::substitute(b); }

  static constexpr int kSideBySide = 1;
  static constexpr bool kKeysJoinSteps = V::kLanes == 4;  // AVX-512 adds three vectors at once

  template <int, class At, class Key>
  VSH_INLINE_MEMBER static void steps(At at, Key key) {
    V sum = at(0, 8);
    each<kNumFactors - 1>(VSH_UNROLLED(i) {
      const int outer = kNumFactors - 2 - i;  // the pair that joins
      sum = V::affine(sum, kMaps.quotient[outer + 1]);
      // Where XORs have two inputs, the newer of the pair comes last: it may still be in flight.
      const int newer = d == Direction::encrypt ? 15 - outer : 1 + outer;
      sum = V::xor3(sum, at(0, 16 - newer), at(0, newer));
    });
    const V rest = V::xor3(at(0, 0), at(0, 7), key(0));
    at(0, 0) = V::xor3(rest, at(0, 9), V::affine(sum, kMaps.factor[0]));
  }

 private:
  template <uint64_t operand>
  VSH_INLINE_MEMBER static V change_basis(V v) {
    if constexpr (operand == affine_matrix(kIdentity)) return v;
    else return V::affine(v, operand);
  }
};

// The same steps with a shorter chain, for cores that start more instructions than a chain makes ready: from one step
// to the next a map and an XOR, not two XORs and a map. Nests of two pairs, the outermost pair by itself: eight maps
// and nine XORs.
template <class Vector, template <Direction> class Sbox, Direction d>
struct ShortChainLayer : AffineLayer<Vector, Sbox, d> {
  using V = Vector;

  template <int, class At, class Key>
  VSH_INLINE_MEMBER static void steps(At at, Key key) {
    constexpr const FactorMaps& kMaps = AffineLayer<Vector, Sbox, d>::kMaps;
    const auto add_pair = [&](V sum, int i) VSH_LAMBDA_INLINE { return V::xor3(sum, at(0, 15 - i), at(0, 1 + i)); };
    // Terms `outer` and the next inner one, of which `inner` is the sum.
    const auto nest = [&](V inner, int outer) VSH_LAMBDA_INLINE {
      return V::affine(add_pair(V::affine(inner, kMaps.quotient[outer + 1]), outer), kMaps.factor[outer]);
    };
    const V inmost = nest(at(0, 8), 5), middle = nest(at(0, 11) ^ at(0, 5), 3);
    V outer = nest(at(0, 13) ^ at(0, 3), 1);
    // z_15 in encryption, z_1 in decryption, is the result of the step before.
    constexpr int kNewest = d == Direction::encrypt ? 15 : 1;
    const V oldest = V::affine(at(0, 16 - kNewest), kMaps.factor[0]);
    const V rest = V::xor3(V::xor3(at(0, 0), at(0, 7), key(0)), inmost, at(0, 9));
    V sum = V::xor3(rest, middle, oldest);
    V::keep(sum), V::keep(outer);  // else compilers add the newest term earlier
    at(0, 0) = V::xor3(sum, outer, V::affine(at(0, kNewest), kMaps.factor[0]));
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
