// SPDX-License-Identifier: Apache-2.0
//
// Constant-time Streebog for one message by look-ups in registers (pshufb, tbl), written once over a byte
// vector (simd/bytes_*.hpp). README.md derives it.
//
// Layout. A round works on the key chain and the data chain together: the 128 bytes of both are 64 units of
// 16 bits, a byte of the data in the even place and the byte of the key at the same index in the odd one. A
// 16-byte lane holds the eight units of one 64-bit word of the state ("row" j); kRegisters registers of
// kLanes lanes hold the eight rows:
//
//   lane of row j:   d[j][0] k[j][0]  d[j][1] k[j][1]  …  d[j][7] k[j][7]
//
// S. pi(x) = omega(l' || r') with (l || r) = alpha(x), l' = r ? nu1(l / r) : nu0(l), r' = sigma(r * phi(l'))
// over GF(2^4) (Biryukov, Perrin, Udovenko, "Reverse-Engineering the S-Box of Streebog, Kuznyechik and
// STRIBOBr1", EUROCRYPT 2016, section 3). alpha and omega are linear, so the states live in the basis of
// alpha, where S has neither: omega, l of the standard, and the next alpha are one linear map. Products
// become sums of logarithms modulo 15.
//
// P and L. Output row r is the sum over j of a linear map of S(row j): two look-ups by nibble for every (r,
// j), the same ones for a whole lane. The indices of row j are loaded into all lanes; each lane has the table
// of its own row r. Rows are then transposed (P).
#pragma once

#include "circuits/sbox_tables.hpp"
#include "core/bytes.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash_row.hpp"
#include "streebog/unrolled.hpp"

namespace vsh::streebog {
namespace {

// The decomposition of pi. A linear map is given by its images of bits 0 … 7.
struct Tu {
  uint8_t alpha[8] = {0x70, 0x3A, 0x14, 0x9A, 0x02, 0x11, 0x74, 0x18};
  uint8_t omega[8] = {0x01, 0x92, 0x44, 0x98, 0x10, 0x20, 0x04, 0x12};
  uint8_t nu0[16] = {2, 5, 3, 11, 6, 9, 14, 10, 0, 4, 15, 1, 8, 13, 12, 7};
  uint8_t nu1[16] = {7, 6, 12, 9, 0, 15, 8, 1, 4, 5, 11, 14, 13, 2, 3, 10};
  uint8_t phi[16] = {11, 2, 11, 8, 12, 4, 1, 12, 6, 3, 5, 8, 14, 3, 6, 11};  // never 0
  uint8_t sigma[16] = {12, 13, 0, 4, 8, 11, 10, 14, 3, 9, 5, 2, 15, 1, 6, 7};
  // GF(2)[x] / (x^4 + x^3 + 1), in which x is primitive.
  uint8_t exp[15] = {};
  uint8_t log[16] = {};
  uint8_t alpha_inverse[8] = {};

  static constexpr uint8_t apply(const uint8_t (&map)[8], uint8_t x) {
    uint8_t y = 0;
    for (int k = 0; k < 8; ++k)
      if ((x >> k) & 1) y ^= map[k];
    return y;
  }
  constexpr uint8_t product(uint8_t a, uint8_t b) const { return a && b ? exp[(log[a] + log[b]) % 15] : 0; }
  constexpr uint8_t quotient(uint8_t a, uint8_t b) const { return a ? exp[(15 + log[a] - log[b]) % 15] : 0; }
  constexpr uint8_t pi(uint8_t x) const {
    const uint8_t y = apply(alpha, x);
    const uint8_t l = y >> 4, r = y & 15;
    const uint8_t l1 = r ? nu1[quotient(l, r)] : nu0[l];
    const uint8_t r1 = sigma[product(r, phi[l1])];
    return apply(omega, static_cast<uint8_t>(l1 << 4 | r1));
  }
  constexpr Tu() {
    uint8_t power = 1;
    for (uint8_t e = 0; e < 15; ++e) {
      exp[e] = power;
      log[power] = e;
      power = static_cast<uint8_t>(power << 1 ^ (power & 8 ? 0x19 : 0));
    }
    for (int x = 0; x < 256; ++x) {
      const uint8_t y = apply(alpha, static_cast<uint8_t>(x));
      for (int k = 0; k < 8; ++k)
        if (y == 1 << k) alpha_inverse[k] = static_cast<uint8_t>(x);
    }
  }
};
constexpr Tu kTu;

constexpr bool decomposition_is_pi() {
  for (int x = 0; x < 256; ++x)
    if (kTu.pi(static_cast<uint8_t>(x)) != tables::kKuznyechikPi[x]) return false;
  return true;
}
static_assert(decomposition_is_pi());

// Look-ups of 16 entries, the same for every lane. Logarithms carry 16 so that one subtraction serves three
// purposes, see Rows::substitute.
struct NibbleTables {
  uint8_t log_r[16];      // 16 + log r; 0 for r = 0
  uint8_t log_l[16];      // 16 + log l; 64 for l = 0
  uint8_t nu0[16];        // nu0(l) ^ nu1(0)
  uint8_t nu1[16];        // at e = log r - log l mod 15: nu1(l / r) ^ nu1(0)
  uint8_t log_phi[16];    // at l' ^ nu1(0): 16 - log phi(l') mod 15
  uint8_t alpha[2][16];   // of the low, of the high nibble
  uint8_t alpha_inverse[2][16];
};
constexpr NibbleTables make_nibble_tables() {
  NibbleTables t{};
  const uint8_t nu1_of_0 = kTu.nu1[0];
  for (int x = 0; x < 16; ++x) {
    t.log_r[x] = x ? 16 + kTu.log[x] : 0;
    t.log_l[x] = x ? 16 + kTu.log[x] : 64;
    t.nu0[x] = kTu.nu0[x] ^ nu1_of_0;
    t.nu1[x] = x < 15 ? kTu.nu1[kTu.exp[(15 - x) % 15]] ^ nu1_of_0 : 0;
    t.log_phi[x] = static_cast<uint8_t>(16 + (15 - kTu.log[kTu.phi[x ^ nu1_of_0]]) % 15);
    t.alpha[0][x] = Tu::apply(kTu.alpha, static_cast<uint8_t>(x));
    t.alpha[1][x] = Tu::apply(kTu.alpha, static_cast<uint8_t>(x << 4));
    t.alpha_inverse[0][x] = Tu::apply(kTu.alpha_inverse, static_cast<uint8_t>(x));
    t.alpha_inverse[1][x] = Tu::apply(kTu.alpha_inverse, static_cast<uint8_t>(x << 4));
  }
  return t;
}
alignas(64) constexpr NibbleTables kNibbles = make_nibble_tables();

// Row r of l of the word whose byte j is omega(x), in the basis of alpha.
constexpr uint8_t mixed(int r, int j, uint8_t x) {
  return Tu::apply(kTu.alpha, static_cast<uint8_t>(l_of_byte(j, Tu::apply(kTu.omega, x)) >> (8 * r)));
}

// What substitute leaves out of r' is sigma(0) in every byte; L makes this of it in row r.
constexpr uint8_t left_out(int r) {
  uint8_t c = 0;
  for (int j = 0; j < 8; ++j) c ^= mixed(r, j, kTu.sigma[0]);
  return c;
}

// table[u][0][p][g] at l' ^ nu1(0), table[u][1][p][g] at log r': what the row in lane p of input register u
// adds to the rows of output register g.
template <class V>
struct MixTables {
  uint8_t table[V::kRegisters][2][V::kLanes][V::kRegisters][V::kLanes][16];
};
template <class V>
constexpr MixTables<V> make_mix_tables() {
  MixTables<V> t{};
  for (int u = 0; u < V::kRegisters; ++u)
    for (int p = 0; p < V::kLanes; ++p)
      for (int g = 0; g < V::kRegisters; ++g)
        for (int q = 0; q < V::kLanes; ++q) {
          const int r = V::output_row(g, q), j = V::input_word(u, p);
          for (int x = 0; x < 16; ++x) {
            const uint8_t l1 = static_cast<uint8_t>((x ^ kTu.nu1[0]) << 4);
            t.table[u][0][p][g][q][x] = mixed(r, j, l1);
            t.table[u][1][p][g][q][x] = x < 15 ? mixed(r, j, kTu.sigma[kTu.exp[x]] ^ kTu.sigma[0]) : 0;
          }
        }
  return t;
}

// The iteration constants in the basis of alpha, corrected for what substitute left out, in the odd bytes;
// the same correction alone in the even bytes, for the data chain before the first round.
template <class V>
struct RoundConstants {
  uint8_t c[kRounds][V::kRegisters][V::kLanes][8][2];
  uint8_t first[V::kRegisters][V::kLanes][8][2];
};
template <class V>
constexpr RoundConstants<V> make_round_constants() {
  RoundConstants<V> k{};
  for (int u = 0; u < V::kRegisters; ++u)
    for (int p = 0; p < V::kLanes; ++p)
      for (int b = 0; b < 8; ++b) {
        for (int i = 0; i < kRounds; ++i)
          k.c[i][u][p][b][1] =
              Tu::apply(kTu.alpha, iteration_constant_byte(i, 8 * V::input_word(u, p) + b)) ^ left_out(b);
        k.first[u][p][b][0] = left_out(b);
      }
  return k;
}

// Makes the compiler forget what it knows of x: Clang likes to replace tables by shuffles of other tables.
template <class T>
VSH_INLINE void hide([[maybe_unused]] T& x) {
#if !defined(__e2k__)
  __asm__ volatile("" : "+m"(x));
#endif
}

template <class V>
struct Rows {
  using Value = Rows;  // hash_row.hpp
  static constexpr int kRegisters = V::kRegisters;
  static constexpr int kLanes = V::kLanes;
  alignas(64) static constexpr MixTables<V> kMix = make_mix_tables<V>();
  alignas(64) static constexpr RoundConstants<V> kConstants = make_round_constants<V>();

  V x[kRegisters];

  // 64 bytes into the even places, in the basis of alpha.
  VSH_INLINE_MEMBER static Rows load(const uint8_t* p) {
    const V a0 = V::load_lanes(kNibbles.alpha[0]), a1 = V::load_lanes(kNibbles.alpha[1]);
    Rows a;
    unrolled<kRegisters>(VSH_UNROLLED(u) {
      a.x[u] = map(a0, a1, V::load_widened(p + 8 * V::input_word(u, 0)));
    });
    return a;
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, const Rows& a) {
    const V a0 = V::load_lanes(kNibbles.alpha_inverse[0]), a1 = V::load_lanes(kNibbles.alpha_inverse[1]);
    unrolled<kRegisters>(VSH_UNROLLED(u) {
      V::store_narrowed(p + 8 * V::input_word(u, 0), map(a0, a1, a.x[u]));
    });
  }
  VSH_INLINE_MEMBER static V map(V low, V high, V a) {
    return V::look_up(low, a & V::splat(15)) ^ V::look_up(high, V::high_nibbles(a));
  }

  // l = l' ^ nu1(0), r = log(r') - the indices that mix takes - of every byte of a.
  VSH_INLINE_MEMBER static void substitute(V& l, V& r, V a) {
    const V fifteen = V::splat(15);
    const V log_r = V::look_up(V::load_lanes(kNibbles.log_r), a & fifteen);
    l = V::high_nibbles(a);
    const V log_l = V::look_up(V::load_lanes(kNibbles.log_l), l);
    // log r - log l lies in -14 … 14; where r = 0 or l = 0, it is at least 128 as an unsigned byte, and stays
    // so.
    V e = V::sub(log_r, log_l);
    e = V::min(e, V::add(e, fifteen));
    // r = 0: log_r is 0 and the index is l. Else log_r > l, and the look-up gives 0.
    const V nu0 = V::look_up(V::load_lanes(kNibbles.nu0), V::sub(l, log_r));
    l = nu0 ^ V::look_up(V::load_lanes(kNibbles.nu1), e);
    r = V::sub(log_r, V::look_up(V::load_lanes(kNibbles.log_phi), l));
    r = V::min(r, V::add(r, fifteen));
  }

  // LPS of both chains.
  VSH_INLINE_MEMBER void lps(const MixTables<V>& mix) {
    // Through memory, because loads that broadcast a lane cost the shuffle port nothing.
    alignas(64) uint8_t index[kRegisters][2][16 * kLanes];
    unrolled<kRegisters>(VSH_UNROLLED(u) {
      V l, r;
      substitute(l, r, x[u]);
      V::store(index[u][0], l);
      V::store(index[u][1], r);
    });
    hide(index);
    // All of l first: it is ready four look-ups before r. Terms are added in pairs, which suits three-input
    // XORs.
    constexpr int num_rows = kRegisters * kLanes;
    V sum[kRegisters], term[kRegisters];
    unrolled<2 * num_rows>(VSH_UNROLLED(n) {
      constexpr int half = n / num_rows, u = n % num_rows / kLanes, p = n % kLanes;
      const V i = V::load_lanes(index[u][half] + 16 * p);
      unrolled<kRegisters>(VSH_UNROLLED(g) {
        const V product = V::look_up(V::load(mix.table[u][half][p][g][0]), i);
        if constexpr (n % 2 == 0) {
          term[g] = product;
        } else {
          sum[g] = n == 1 ? term[g] ^ product : V::xor3(sum[g], term[g], product);
          V::keep(sum[g]);
        }
      });
    });
    unrolled<kRegisters>(VSH_UNROLLED(g) { x[g] = sum[g]; });
    V::transpose(x);
  }

  // g_n(h, m) of RFC 6986, section 8; h, n and m in the even places.
  VSH_INLINE_MEMBER static void g(Rows& h, const Rows& n, const Rows& m) {
    const MixTables<V>* mix = &kMix;
    hide(mix);
    Rows s;
    unrolled<kRegisters>(VSH_UNROLLED(u) { s.x[u] = V::even_to_odd(h.x[u] ^ n.x[u]); });
    s.lps(*mix);
    unrolled<kRegisters>(VSH_UNROLLED(u) {
      const V key = V::even_to_odd(V::odd_to_even(s.x[u]));
      s.x[u] = V::xor3(key, m.x[u], V::load(kConstants.first[u][0][0]));
    });
    for (int i = 0; i < kRounds; ++i) {
      unrolled<kRegisters>(VSH_UNROLLED(u) {
        s.x[u] = V::xor3(s.x[u], V::odd_to_even(s.x[u]), V::load(kConstants.c[i][u][0][0]));
      });
      s.lps(*mix);
    }
    unrolled<kRegisters>(VSH_UNROLLED(u) {
      const V e = s.x[u] ^ V::odd_to_even(s.x[u]);
      h.x[u] = V::xor3(h.x[u], m.x[u], V::odd_to_even(V::even_to_odd(e)));
    });
  }
};

}  // namespace
}  // namespace vsh::streebog
