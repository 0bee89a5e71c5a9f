// S and L of Kuznyechik by look-ups of 16 entries, in constant time, on a block in each lane of a vector of bytes.
// GOST R 34.12-2015 clause 4.
//
// L: its 16 steps extend a window of bytes, s_(n+16) = sum_i c_i s_(n+15-i). With x the old half of the window and y
// the new one, they say Q^-1 y = P x, where P and Q are polynomials of z, which moves every byte one place, filling
// with 0: P one way, Q the other. So L = Q P, and a coefficient of P or Q multiplies all bytes alike: two look-ups, by
// nibbles. (The entries of L's matrix differ from place to place.)
//     P = 1 + p_1 z + ... + p_15 z^15    p_d = p_(16-d), p_7 = 1: 7 products, 15 moves
//     Q = sum_b z^b sum_a q_(4a+b) z^4a    a, b = 0 .. 3, q_0 = 1: 15 products, 6 moves
// c reads the same from both ends, so L^-1 is L with both ways exchanged.
// S: nibble_sbox.hpp, in its basis. P of encryption looks up by the indices by which S looks its result up.
// A round has 71 shuffles. As a chain, where a shuffle takes two cycles and two start in each (Zen 4): S 19, P 2 and 16
// for its shuffles, Q 9 and 18 for its: 64 cycles; measured there 77.
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
  struct {
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
    const SubstitutedProducts& t = in_memory(kSubstituted);
    V l[n], r[n];
    each<n>(VSH_UNROLLED(i) {
      l[i] = V::high_nibbles(x[i]);
      r[i] = x[i] & V::splat(15);
      circuits::substitute_nibbles(l[i], r[i]);
    });
    each<n>(VSH_UNROLLED(i) {
      const auto image = [&](const auto& m) VSH_LAMBDA_INLINE { return V(look_up(m.l, l[i]) ^ look_up(m.r, r[i])); };
      x[i] = apply_p<1>(image(t.x), [&](int d) VSH_LAMBDA_INLINE { return image(t.p[d]); });
    });
    each<n>(VSH_UNROLLED(i) { x[i] = apply_q<Direction::encrypt>(x[i], key(i)); });
  }

  // x[i] = S^-1(L^-1(x[i])) ^ key(i).
  template <int n, class Key>
  VSH_INLINE_MEMBER static void backward(V (&x)[n], Key key) {
    const SeriesProducts& t = in_memory(kProducts<Direction::decrypt>);
    each<n>(VSH_UNROLLED(i) {
      const V low = x[i] & V::splat(15), high = V::high_nibbles(x[i]);
      x[i] = apply_p<-1>(
          x[i], [&](int d) VSH_LAMBDA_INLINE { return V(look_up(t.p[d].low, low) ^ look_up(t.p[d].high, high)); });
    });
    each<n>(VSH_UNROLLED(i) { x[i] = apply_q<Direction::decrypt>(x[i], V::splat(0)); });
    each<n>(VSH_UNROLLED(i) { x[i] = NibbleLayer<V, Direction::decrypt>::substitute(x[i]) ^ key(i); });
  }

 private:
  template <Direction d>
  alignas(64) static constexpr SeriesProducts kProducts = make_series_products<d>();
  alignas(64) static constexpr SubstitutedProducts kSubstituted = make_substituted_products();

  // Tables far exceed the registers: GCC would copy each to the stack before the rounds, and load it from there.
  template <class T>
  VSH_INLINE_MEMBER static const T& in_memory(const T& tables) {
    const T* p = &tables;
#if !defined(__e2k__)
    __asm__ volatile("" : "+r"(p));
#endif
    return *p;
  }

  // P x, where times(d) is p_d x; z moves bytes by kUp places.
  template <int kUp, class Times>
  VSH_INLINE_MEMBER static V apply_p(V x, Times times) {
    V sum = x ^ V::template move_bytes<kUp * 8>(times(8));
    unrolled<7>(VSH_UNROLLED(j) {
      constexpr int d = j + 1;
      const V u = d == 7 ? x : times(d);
      sum = V::xor3(sum, V::template move_bytes<kUp * d>(u), V::template move_bytes<kUp*(16 - d)>(u));
    });
    return sum;
  }

  // Q x ^ k.
  template <Direction d>
  VSH_INLINE_MEMBER static V apply_q(V x, V k) {
    constexpr int kUp = d == Direction::encrypt ? -1 : 1;
    const SeriesProducts& t = in_memory(kProducts<d>);
    V sum[4];
    unrolled<4>(VSH_UNROLLED(a) {
      V w = x;
      if constexpr (a > 0) w = V::template move_bytes<kUp * 4 * a>(x);
      const V low = w & V::splat(15), high = V::high_nibbles(w);
      unrolled<4>(VSH_UNROLLED(j) {
        constexpr int b = 3 - j;
        const NibbleMap& m = t.q[4 * a + b];
        if constexpr (a == 0 && b == 0) sum[b] = x ^ k;
        else if constexpr (a == 0) sum[b] = look_up(m.low, low) ^ look_up(m.high, high);
        else sum[b] = V::xor3(sum[b], look_up(m.low, low), look_up(m.high, high));
      });
    });
    return sum[0] ^ V::xor3(V::template move_bytes<kUp * 3>(sum[3]), V::template move_bytes<kUp * 2>(sum[2]),
                            V::template move_bytes<kUp>(sum[1]));
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
