// S and L of Kuznyechik by look-ups of 16 entries, in constant time, on a block in each lane of a vector of bytes.
// GOST R 34.12-2015 clause 4.
//
// L: its 16 steps extend a window of bytes, s_(n+16) = sum_i c_i s_(n+15-i). With x the old half of the window and y
// the new one, they say Q^-1 y = P x, where P and Q are polynomials of z, which moves every byte one place, filling
// with 0: P one way, Q the other. So L = Q P, and a coefficient of P or Q multiplies all bytes alike: two look-ups, by
// nibbles. (The entries of L's matrix differ from place to place.)
//     P = 1 + p_1 z + ... + p_15 z^15    p_d = p_(16-d), p_7 = 1: 7 products, 15 moves
//     Q = sum_b z^b sum_a q_(4a+b) z^4a    a, b = 0 .. 3, q_0 = 1: 15 products, 9 moves
// c reads the same from both ends, so L^-1 is L with both ways exchanged.
// S: nibble_sbox.hpp, in its basis. P of encryption looks up by the indices by which S looks its result up.
// A round has 75 shuffles and 2 shifts, which share two ports: 39 cycles a register. As a chain, where a shuffle takes
// two cycles (Zen 4): S 19, P 2 and 16 for its shuffles, Q 9 and 20 for its.
//
// Tables are loaded once for all registers. Left alone, GCC makes all products first and sums them later, from the
// stack: each sum is kept in a register as it grows.
#pragma once

#include "kuznyechik/nibble_layer.hpp"

namespace vsh::kuznyechik {
namespace {

// Products by the coefficients of P and Q in the basis of a direction.
struct SeriesProducts {
  NibbleMap p[9], q[16];
};
template <Direction d>
constexpr SeriesProducts make_series_products() {
  constexpr LinearMap basis = NibbleSbox<d>::kBasis;
  const auto product = [&](uint8_t c) { return nibble_map(basis * product_by(c) * inverse(basis)); };
  SeriesProducts t{};
  for (int i = 1; i < 9; ++i) t.p[i] = product(kL[15 - i]);
  uint8_t q[16] = {1};
  for (int i = 0; i < 16; ++i) {
    for (int j = 1; j <= i; ++j) q[i] ^= field_product(kL[j - 1], q[i - j]);
    t.q[i] = product(q[i]);
  }
  return t;
}

// The same from the indices that S looks its images up by; x: the images.
struct SubstitutedProducts {
  struct Images {
    uint8_t l[16], r[16];
  } x, p[9];
};
constexpr SubstitutedProducts make_substituted_products() {
  constexpr LinearMap basis = NibbleSbox<Direction::encrypt>::kBasis;
  constexpr ForwardTables sbox = make_forward_tables();
  SubstitutedProducts t{};
  const auto fill = [&](auto& to, uint8_t c) {
    const LinearMap product = basis * product_by(c) * inverse(basis);
    for (int v = 0; v < 16; ++v) to.l[v] = product(sbox.out_l[v]), to.r[v] = product(sbox.out_r[v]);
  };
  fill(t.x, 1);
  for (int i = 1; i < 9; ++i) fill(t.p[i], kL[15 - i]);
  return t;
}

template <Direction d>
alignas(64) constexpr SeriesProducts kSeriesProducts = make_series_products<d>();
alignas(64) constexpr SubstitutedProducts kSubstitutedProducts = make_substituted_products();

// Tables far exceed the registers: GCC would copy each to the stack before the rounds, and load it from there.
template <class T>
VSH_INLINE const T& in_memory(const T& tables) {
  const T* p = &tables;
#if !defined(__e2k__)
  __asm__ volatile("" : "+r"(p));
#endif
  return *p;
}

template <class Vector>
struct ShiftedProducts {
  using V = Vector;

  template <Direction d>
  VSH_INLINE_MEMBER static V enter(V x) {
    return NibbleLayer<V, d>::enter(x);
  }
  template <Direction d>
  VSH_INLINE_MEMBER static V leave(V x) {
    return NibbleLayer<V, d>::leave(x);
  }

  // x[i] = L(S(x[i])) ^ key(i).
  template <int n, class Key>
  VSH_INLINE_MEMBER static void forward(V (&x)[n], Key key) {
    const SubstitutedProducts& t = in_memory(kSubstitutedProducts);
    V l[n], r[n];
    each<n>(VSH_UNROLLED(i) {
      split(x[i], l[i], r[i]);
      circuits::substitute_nibbles(l[i], r[i]);
    });
    const Products image = images(t.x.l, t.x.r);
    each<n>(VSH_UNROLLED(i) { x[i] = image(l[i], r[i]); });
    apply_p<1>(x, l, r, [&](int d) VSH_LAMBDA_INLINE { return images(t.p[d].l, t.p[d].r); });
    apply_q<Direction::encrypt>(x, key);
  }

  // x[i] = S^-1(L^-1(x[i])) ^ key(i).
  template <int n, class Key>
  VSH_INLINE_MEMBER static void backward(V (&x)[n], Key key) {
    const SeriesProducts& t = in_memory(kSeriesProducts<Direction::decrypt>);
    V high[n], low[n];
    each<n>(VSH_UNROLLED(i) { split(x[i], high[i], low[i]); });
    apply_p<-1>(x, high, low, [&](int d) VSH_LAMBDA_INLINE { return images(t.p[d].high, t.p[d].low); });
    apply_q<Direction::decrypt>(x, [](int) VSH_LAMBDA_INLINE { return V::splat(0); });
    each<n>(VSH_UNROLLED(i) { x[i] = NibbleLayer<V, Direction::decrypt>::substitute(x[i]) ^ key(i); });
  }

 private:
  // A pair of tables, loaded once for all registers.
  struct Products {
    V a, b;
    VSH_INLINE_MEMBER V operator()(V i, V j) const { return V::look_up(a, i) ^ V::look_up(b, j); }
  };
  VSH_INLINE_MEMBER static Products images(const uint8_t (&a)[16], const uint8_t (&b)[16]) {
    return {V::load_lanes(a), V::load_lanes(b)};
  }
  VSH_INLINE_MEMBER static void split(V x, V& high, V& low) {
    high = V::high_nibbles(x);
    low = x & V::splat(15);
  }

  // x[i] = P x[i], where times(d)(a[i], b[i]) is p_d x[i]; z moves bytes by kUp places.
  template <int kUp, int n, class Times>
  VSH_INLINE_MEMBER static void apply_p(V (&x)[n], const V (&a)[n], const V (&b)[n], Times times) {
    const Products middle = times(8);
    each<n>(VSH_UNROLLED(i) {
      x[i] = V::xor3(x[i], V::template move_bytes<kUp * 7>(x[i]), V::template move_bytes<kUp * 9>(x[i]));
      x[i] = x[i] ^ V::template move_bytes<kUp * 8>(middle(a[i], b[i]));
    });
    unrolled<6>(VSH_UNROLLED(j) {
      constexpr int d = j + 1;
      const Products by = times(d);
      each<n>(VSH_UNROLLED(i) {
        const V u = by(a[i], b[i]);
        x[i] = V::xor3(x[i], V::template move_bytes<kUp * d>(u), V::template move_bytes<kUp*(16 - d)>(u));
        V::keep(x[i]);
      });
    });
  }

  // x[i] = Q x[i] ^ key(i).
  template <Direction d, int n, class Key>
  VSH_INLINE_MEMBER static void apply_q(V (&x)[n], Key key) {
    constexpr int kUp = d == Direction::encrypt ? -1 : 1;
    const SeriesProducts& t = in_memory(kSeriesProducts<d>);
    V sum[n][4], high[n], low[n];
    unrolled<4>(VSH_UNROLLED(a) {
      each<n>(VSH_UNROLLED(i) {
        if constexpr (a == 0) split(x[i], high[i], low[i]);
        else high[i] = V::template move_bytes<kUp * 4>(high[i]), low[i] = V::template move_bytes<kUp * 4>(low[i]);
      });
      unrolled<4>(VSH_UNROLLED(j) {
        constexpr int b = 3 - j;
        if constexpr (a == 0 && b == 0) {
          each<n>(VSH_UNROLLED(i) { sum[i][0] = x[i] ^ key(i); });
        } else {
          const Products by = images(t.q[4 * a + b].high, t.q[4 * a + b].low);
          each<n>(VSH_UNROLLED(i) {
            const V product = by(high[i], low[i]);
            if constexpr (a == 0) sum[i][b] = product;
            else sum[i][b] = sum[i][b] ^ product;
            V::keep(sum[i][b]);
          });
        }
      });
    });
    each<n>(VSH_UNROLLED(i) {
      x[i] = sum[i][0] ^ V::xor3(V::template move_bytes<kUp * 3>(sum[i][3]), V::template move_bytes<kUp * 2>(sum[i][2]),
                                 V::template move_bytes<kUp>(sum[i][1]));
    });
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
