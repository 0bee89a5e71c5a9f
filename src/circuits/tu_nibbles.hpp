// The TU decomposition of pi (tu.hpp) between its linear maps, by look-ups of 16 entries in registers, on every byte of
// a vector (simd/bytes_*.hpp), in constant time.
//
// Products and quotients in GF(2^4) become sums of logarithms modulo 15. Logarithms are stored plus 16, so that the
// index of a zero factor falls above 127, where a look-up gives 0.
#pragma once

#include "circuits/tu.hpp"
#include "core/unrolled.hpp"

namespace vsh::circuits {
namespace {

struct TuNibbles {
  uint8_t log_r[16];    // 16 + log r; 0 for r = 0
  uint8_t log_l[16];    // 16 + log l; 64 for l = 0
  uint8_t nu0[16];      // nu0(l) ^ nu1(0)
  uint8_t nu1[16];      // at log r - log l modulo 15: nu1(l / r) ^ nu1(0)
  uint8_t log_phi[16];  // at l' ^ nu1(0): 16 - log phi(l') modulo 15
};
constexpr TuNibbles make_tu_nibbles() {
  const uint8_t nu1_of_0 = kTu.nu1[0];
  TuNibbles t{};
  for (int x = 0; x < 16; ++x) {
    t.log_r[x] = x ? 16 + kTu.log[x] : 0;
    t.log_l[x] = x ? 16 + kTu.log[x] : 64;
    t.nu0[x] = kTu.nu0[x] ^ nu1_of_0;
    t.nu1[x] = x < 15 ? kTu.nu1[kTu.exp[(15 - x) % 15]] ^ nu1_of_0 : 0;
    t.log_phi[x] = static_cast<uint8_t>(16 + (15 - kTu.log[kTu.phi[x ^ nu1_of_0]]) % 15);
  }
  return t;
}
alignas(64) constexpr TuNibbles kTuNibbles = make_tu_nibbles();

template <class V>
VSH_INLINE V look_up(const uint8_t (&table)[16], V i) {
  return V::look_up(V::load_lanes(table), i);
}

// Returns the smaller of a and a + 15 as unsigned bytes: a modulo 15 for a = -14 … 14; other values above 127 stay
// there.
template <class V>
VSH_INLINE V modulo_15(V a) {
  return V::min(a, V::add(a, V::splat(15)));
}

// Decode the indices that substitute_nibbles yields: l', and r' ^ sigma(0), for an index of 0 … 15. The table for the
// map that follows must give 0 at 15, where r = 0 and r' = sigma(0).
constexpr uint8_t tu_l(int index) { return static_cast<uint8_t>(index ^ kTu.nu1[0]); }
constexpr uint8_t tu_r(int index) {
  return index < 15 ? static_cast<uint8_t>(kTu.sigma[kTu.exp[index]] ^ kTu.sigma[0]) : 0;
}

// l, r: the nibbles of alpha(x). Yields l' ^ nu1(0) in l and log (r * phi(l')), above 127 for r = 0, in r.
template <class V>
VSH_INLINE void substitute_nibbles(V& l, V& r) {
  const auto& t = kTuNibbles;
  const V log_r = look_up(t.log_r, r);
  const V quotient = modulo_15<V>(V::sub(log_r, look_up(t.log_l, l)));
  // r = 0: log_r is 0 and the index is l. Else log_r > l, and the look-up gives 0.
  l = look_up<V>(t.nu0, V::sub(l, log_r)) ^ look_up(t.nu1, quotient);
  r = modulo_15<V>(V::sub(log_r, look_up(t.log_phi, l)));
}

}  // namespace
}  // namespace vsh::circuits
