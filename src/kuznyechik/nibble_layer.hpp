// The layer of bytesliced.hpp for CPUs with 16-entry register look-ups (pshufb, tbl).
//
// A product by one of the seven factors of l other than 1 is two look-ups by nibble; as the factors read the same from
// both ends, the bytes of two places are added first. A step is 6 XORs, 7 times 3 instructions to split nibbles, 14
// look-ups and 17 XORs, 58 in all; the substitution is 3 and 16 or 15 (nibble_sbox.hpp). Keeping nibbles from step to
// step saves 12 instructions and costs 14 loads: no faster.
#pragma once

#include "kuznyechik/nibble_sbox.hpp"

namespace vsh::kuznyechik {
namespace {

// Images of low and high nibbles under a linear map.
struct NibbleMap {
  uint8_t low[16], high[16];
};
constexpr NibbleMap nibble_map(const LinearMap& f) {
  NibbleMap m{};
  for (unsigned x = 0; x < 16; ++x) {
    m.low[x] = f(x);
    m.high[x] = f(x << 4);
  }
  return m;
}

template <class Vector, Direction d>
struct NibbleLayer {
  using V = Vector;
  using Sbox = NibbleSbox<d>;

  struct Products {
    NibbleMap by[kNumFactors];
  };
  static constexpr Products make_products() {
    Products p{};
    for (int i = 0; i < kNumFactors; ++i)
      p.by[i] = nibble_map(Sbox::kBasis * product_by(factor(i)) * inverse(Sbox::kBasis));
    return p;
  }
  alignas(64) static constexpr Products kProducts = make_products();
  alignas(64) static constexpr NibbleMap kEnter = nibble_map(Sbox::kBasis);
  alignas(64) static constexpr NibbleMap kLeave = nibble_map(inverse(Sbox::kBasis));

  VSH_INLINE_MEMBER static V map(const NibbleMap& m, V v) {
    return look_up(m.low, v & V::splat(15)) ^ look_up(m.high, V::high_nibbles(v));
  }
  VSH_INLINE_MEMBER static V enter(V v) { return map(kEnter, v); }
  VSH_INLINE_MEMBER static V leave(V v) { return map(kLeave, v); }
  VSH_INLINE_MEMBER static V substitute(V v) {
    return Sbox::template substitute<V>(v & V::splat(15), V::high_nibbles(v));
  }

  // Four steps share the loads of the tables. Step k reads the results of steps 0 .. k - 1 as the outer ones of pairs 0
  // .. k - 1, which are added as they become known. Each sum is kept in a register as it grows: left alone, GCC makes
  // all products first and sums them later, from the stack.
  static constexpr int kSideBySide = 4;
  static constexpr bool kKeysJoinSteps = false;

  template <int count, class At, class Key>
  VSH_INLINE_MEMBER static void steps(At at, Key key) {
    V sum[count];
    struct Tables {
      V low, high;
    };
    const auto tables = [](int i) VSH_LAMBDA_INLINE -> Tables {
      return {V::load_lanes(kProducts.by[i].low), V::load_lanes(kProducts.by[i].high)};
    };
    const auto add = [&](const Tables& by, int k, V x) VSH_LAMBDA_INLINE {
      sum[k] = V::xor3(sum[k], V::look_up(by.low, x & V::splat(15)), V::look_up(by.high, V::high_nibbles(x)));
      V::keep(sum[k]);
    };
    const auto pair = [&](int k, int i) VSH_LAMBDA_INLINE { return at(k, 15 - i) ^ at(k, 1 + i); };
    const Tables inmost = tables(kNumFactors - 1);
    each<count>(VSH_UNROLLED(k) {
      sum[k] = V::xor3(at(k, 0), at(k, 7), at(k, 9)) ^ key(k);
      add(inmost, k, at(k, 8));
    });
    each<kNumFactors - 1>(VSH_UNROLLED(j) {
      const int i = kNumFactors - 2 - j;
      const Tables by = tables(i);
      each<count>(VSH_UNROLLED(k) {
        if (k <= i) add(by, k, pair(k, i));
      });
    });
    each<count>(VSH_UNROLLED(k) {
      each<count>(VSH_UNROLLED(j) {
        if (j < k) add(tables(k - 1 - j), k, pair(k, k - 1 - j));
      });
      at(k, 0) = sum[k];
    });
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
