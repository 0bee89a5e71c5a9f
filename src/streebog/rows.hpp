// Constant-time Streebog for one message by look-ups in registers (pshufb, tbl), written once over a byte vector
// (simd/bytes_*.hpp). Derivation in README.md.
//
// Layout. A round works on the key chain and the data chain together: the 128 bytes of both are 64 units of
// 16 bits, a byte of the data in the even place and the byte of the key at the same index in the odd one. A
// 16-byte lane holds the eight units of one 64-bit word of the state ("row" j); kRegisters registers of
// kLanes lanes hold the eight rows:
//
//   lane of row j:   d[j][0] k[j][0]  d[j][1] k[j][1]  …  d[j][7] k[j][7]
//
// S. pi(x) = omega(l' || r') with (l || r) = alpha(x), l' = r ? nu1(l / r) : nu0(l), r' = sigma(r * phi(l')) over
// GF(2^4) (Biryukov, Perrin, Udovenko, "Reverse-Engineering the S-Box of Streebog, Kuznyechik and STRIBOBr1", EUROCRYPT
// 2016, section 3). alpha and omega are linear, so the states are kept in the basis of alpha, where S needs neither:
// omega, l of the standard, and the next alpha are one linear map. Products become sums of logarithms modulo 15.
//
// P and L. Output row r is the sum over j of a linear map of S(row j): two look-ups by nibble for every (r,
// j), the same ones for a whole lane. The indices of row j are loaded into all lanes; each lane has the table
// of its own row r. Rows are then transposed (P).
#pragma once

#include "circuits/tu_nibbles.hpp"
#include "core/bytes.hpp"
#include "core/unrolled.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash_row.hpp"

namespace vsh::streebog {
namespace {

using circuits::kTu;
using circuits::Tu;

// The changes of basis, of the low and of the high nibble.
struct BasisTables {
  uint8_t alpha[2][16];
  uint8_t alpha_inverse[2][16];
};
constexpr BasisTables make_basis_tables() {
  BasisTables t{};
  for (int x = 0; x < 16; ++x)
    for (int high = 0; high < 2; ++high) {
      const uint8_t byte = static_cast<uint8_t>(x << 4 * high);
      t.alpha[high][x] = Tu::apply(kTu.alpha, byte);
      t.alpha_inverse[high][x] = Tu::apply(kTu.alpha_inverse, byte);
    }
  return t;
}
alignas(64) constexpr BasisTables kBases = make_basis_tables();

// Row r of l of the word whose byte j is omega(x), in the basis of alpha.
constexpr uint8_t mixed(int r, int j, uint8_t x) {
  return Tu::apply(kTu.alpha, static_cast<uint8_t>(l_of_byte(j, Tu::apply(kTu.omega, x)) >> (8 * r)));
}

// substitute omits sigma(0) from r' in every byte; this is its image under L in row r.
constexpr uint8_t left_out(int r) {
  uint8_t c = 0;
  for (int j = 0; j < 8; ++j) c ^= mixed(r, j, kTu.sigma[0]);
  return c;
}

// table[u][0][p][g] at l' ^ nu1(0), table[u][1][p][g] at log r': the contribution of the row in lane p of input
// register u to the rows of output register g.
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
            t.table[u][0][p][g][q][x] = mixed(r, j, static_cast<uint8_t>(circuits::tu_l(x) << 4));
            t.table[u][1][p][g][q][x] = mixed(r, j, circuits::tu_r(x));
          }
        }
  return t;
}

// The iteration constants in the basis of alpha, corrected for the terms that substitute omits, in the odd bytes; the
// same correction only in the even bytes, for the data chain before the first round.
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

// Hides the value of x from the compiler: Clang otherwise replaces tables by shuffles of other tables.
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

  // Loads 64 bytes into the even places, in the basis of alpha.
  VSH_INLINE_MEMBER static Rows load(const uint8_t* p) {
    const V a0 = V::load_lanes(kBases.alpha[0]), a1 = V::load_lanes(kBases.alpha[1]);
    Rows a;
    unrolled<kRegisters>(VSH_UNROLLED(u) { a.x[u] = map(a0, a1, V::load_widened(p + 8 * V::input_word(u, 0))); });
    return a;
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, const Rows& a) {
    const V a0 = V::load_lanes(kBases.alpha_inverse[0]), a1 = V::load_lanes(kBases.alpha_inverse[1]);
    unrolled<kRegisters>(VSH_UNROLLED(u) { V::store_narrowed(p + 8 * V::input_word(u, 0), map(a0, a1, a.x[u])); });
  }
  VSH_INLINE_MEMBER static V map(V low, V high, V a) {
    return V::look_up(low, a & V::splat(15)) ^ V::look_up(high, V::high_nibbles(a));
  }

  // l = l' ^ nu1(0), r = log(r') - the indices that mix takes - of every byte of a.
  VSH_INLINE_MEMBER static void substitute(V& l, V& r, V a) {
    l = V::high_nibbles(a);
    r = a & V::splat(15);
    circuits::substitute_nibbles(l, r);
  }

  // LPS of both chains.
  VSH_INLINE_MEMBER void lps(const MixTables<V>& mix) {
    // Through memory, because loads that broadcast a lane need no shuffle port.
    alignas(64) uint8_t index[kRegisters][2][16 * kLanes];
    unrolled<kRegisters>(VSH_UNROLLED(u) {
      V l, r;
      substitute(l, r, x[u]);
      V::store(index[u][0], l);
      V::store(index[u][1], r);
    });
    hide(index);
    // All of l first: it is ready four look-ups before r. Terms are added in pairs, for three-input XORs.
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
      unrolled<kRegisters>(
          VSH_UNROLLED(u) { s.x[u] = V::xor3(s.x[u], V::odd_to_even(s.x[u]), V::load(kConstants.c[i][u][0][0])); });
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
