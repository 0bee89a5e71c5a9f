// S and L of Kuznyechik on one block by look-ups of 16 entries, in constant time: shifted_products.hpp for a chain of
// blocks in vectors of 32 bytes. GOST R 34.12-2015 clause 4.
//
// Both lanes hold the block. Each multiplies it by half of the coefficients of P, then of Q, and moves the products to
// their places, by indices, since lanes move differently; then the lanes are added.
//     P: p_8, p_7 = 1 and the pairs p_1 p_2, p_3 p_4, p_5 p_6    8 look-ups, 8 moves
//     Q: q_0 .. q_7 in one lane, q_8 .. q_15 in the other        16 look-ups, 6 moves
// A round has 47 shuffles, shifts and exchanges of lanes instead of 77. As a chain, where a shuffle takes one cycle
// (Zen 3): S 12, P 10, Q 15, the lanes twice 4, nibbles twice 2.
#pragma once

#include "kuznyechik/shifted_products.hpp"

namespace vsh::kuznyechik {
namespace {

struct LanePair {
  uint8_t lane[2][16];
};
// Two look-ups: by the one nibble and by the other.
struct ProductPair {
  LanePair a, b;
};

constexpr LanePair pair_of(const uint8_t (&first)[16], const uint8_t (&second)[16]) {
  LanePair p{};
  for (int i = 0; i < 16; ++i) p.lane[0][i] = first[i], p.lane[1][i] = second[i];
  return p;
}
// Indices that move bytes by `first` and `second` places, filling with 0.
constexpr LanePair moves(int first, int second) {
  const auto index = [](int i) { return static_cast<uint8_t>(0 <= i && i < 16 ? i : 0x80); };
  LanePair p{};
  for (int i = 0; i < 16; ++i) p.lane[0][i] = index(i - first), p.lane[1][i] = index(i - second);
  return p;
}

struct HalvedProductsTables {
  ProductPair p[4];     // p_7 and p_8; p_1, p_2; p_3, p_4; p_5, p_6
  LanePair move[4][2];  // by i and by 16 - i of p_i; p_8 is added once
  LanePair first_lane;  // p_7 is added unmoved, too: 1
  ProductPair q[2][4];  // q_(4a+b) and q_(4a+b+8)
  LanePair move_back[4], by_4;
};
template <Direction d>
constexpr HalvedProductsTables make_halved_products_tables() {
  constexpr int kUp = d == Direction::encrypt ? 1 : -1;
  HalvedProductsTables t{};
  const auto p = [](int i, int j) -> ProductPair {
    if constexpr (d == Direction::encrypt) {
      const auto& s = kSubstitutedProducts;
      const auto &x = i == 7 ? s.x : s.p[i], &y = s.p[j];
      return {pair_of(x.l, y.l), pair_of(x.r, y.r)};
    } else {
      const auto &x = kSeriesProducts<d>.p[i], &y = kSeriesProducts<d>.p[j];
      return {pair_of(x.high, y.high), pair_of(x.low, y.low)};
    }
  };
  for (int k = 0; k < 4; ++k) {
    const int i = k == 0 ? 7 : 2 * k - 1, j = i + 1;
    t.p[k] = p(i, j);
    t.move[k][0] = moves(kUp * i, kUp * j);
    t.move[k][1] = moves(kUp * (16 - i), kUp * (j == 8 ? 16 : 16 - j));
  }
  for (uint8_t& byte : t.first_lane.lane[0]) byte = 0xFF;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 4; ++b) {
      const auto &x = kSeriesProducts<d>.q[4 * a + b], &y = kSeriesProducts<d>.q[4 * a + b + 8];
      t.q[a][b] = {pair_of(x.high, y.high), pair_of(x.low, y.low)};
      t.move_back[b] = moves(-kUp * b, -kUp * (b + 8));
    }
  t.by_4 = moves(-kUp * 4, -kUp * 4);
  return t;
}

// The products of one register. Vector: of two lanes.
template <class Vector>
struct HalvedProducts {
  using V = Vector;

  // x[0] = L(S(x[0])) ^ key(0).
  template <class Key>
  VSH_INLINE_MEMBER static void forward(V (&x)[1], Key key) {
    V l = V::high_nibbles(x[0]), r = x[0] & V::splat(15);
    circuits::substitute_nibbles(l, r);
    x[0] = apply<Direction::encrypt>(l, r, key(0));
  }

  // x[0] = S^-1(L^-1(x[0])) ^ key(0).
  template <class Key>
  VSH_INLINE_MEMBER static void backward(V (&x)[1], Key key) {
    const V y = apply<Direction::decrypt>(V::high_nibbles(x[0]), x[0] & V::splat(15), V::splat(0));
    x[0] = NibbleLayer<V, Direction::decrypt>::substitute(y) ^ key(0);
  }

 private:
  template <Direction d>
  alignas(64) static constexpr HalvedProductsTables kTables = make_halved_products_tables<d>();

  VSH_INLINE_MEMBER static V load(const LanePair& pair) { return V::load(pair.lane[0]); }
  VSH_INLINE_MEMBER static V move(V x, const LanePair& by) { return V::look_up(x, load(by)); }
  VSH_INLINE_MEMBER static V times(const ProductPair& by, V i, V j) {
    return V::look_up(load(by.a), i) ^ V::look_up(load(by.b), j);
  }

  // Returns Q P x ^ key, where i and j are what the tables of P look x up by. Sums are kept as they grow, because GCC
  // would put other products before the moves.
  template <Direction d>
  VSH_INLINE_MEMBER static V apply(V i, V j, V key) {
    const HalvedProductsTables& t = in_memory(kTables<d>);
    const V x = times(t.p[0], i, j);
    V sum = (x & load(t.first_lane)) ^ (move(x, t.move[0][0]) ^ move(x, t.move[0][1]));
    V::keep(sum);
    unrolled<3>(VSH_UNROLLED(k) {
      const V u = times(t.p[k + 1], i, j);
      sum = sum ^ (move(u, t.move[k + 1][0]) ^ move(u, t.move[k + 1][1]));
      V::keep(sum);
    });
    const V y = sum ^ V::exchange_lanes(sum);

    const V high = V::high_nibbles(y), low = y & V::splat(15);
    V next_high = move(high, t.by_4), next_low = move(low, t.by_4);
    V::keep(next_high);
    V::keep(next_low);
    V part[4];
    unrolled<4>(VSH_UNROLLED(b) {
      part[b] = times(t.q[0][b], high, low);
      V::keep(part[b]);
    });
    unrolled<4>(VSH_UNROLLED(b) {
      part[b] = move(part[b] ^ times(t.q[1][b], next_high, next_low), t.move_back[b]);
      V::keep(part[b]);
    });
    V z = (part[0] ^ part[1]) ^ (part[2] ^ part[3]);
    V::keep(z);
    V with_key = z ^ key;  // while the lanes are exchanged
    V::keep(with_key);
    return with_key ^ V::exchange_lanes(z);
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
