// pi and its inverse by look-ups of 16 entries, on every byte of a vector, in constant time.
//
// The decomposition of circuits/tu.hpp between linear maps: the state stands in the basis in which its nibbles are the
// halves that the decomposition takes (alpha for pi, the inverse of omega for the inverse), so that the linear map
// before it vanishes, and the one after it and the change of basis are part of the last look-ups. Products and
// quotients in GF(2^4) become sums of logarithms modulo 15. Logarithms carry 16, so that an index that must miss,
// because a factor is 0 or is not, is above 127 or is not; streebog/rows.hpp has the same trick.
#pragma once

#include "circuits/tu.hpp"
#include "kuznyechik/bytesliced.hpp"
#include "kuznyechik/linear_maps.hpp"

namespace vsh::kuznyechik {
namespace {

using circuits::kTu;

template <Direction d>
struct NibbleSbox;

constexpr LinearMap from_images(const uint8_t (&image)[8]) {
  LinearMap m{};
  for (int k = 0; k < 8; ++k) m.image[k] = image[k];
  return m;
}

// Smaller of a and a + 15: a modulo 15 for a = -14 .. 14, and what is above 127 stays there.
template <class V>
VSH_INLINE V modulo_15(V a) {
  return V::min(a, V::add(a, V::splat(15)));
}

template <class V>
VSH_INLINE V look_up(const uint8_t (&table)[16], V i) {
  return V::look_up(V::load_lanes(table), i);
}

struct ForwardTables {
  uint8_t log_r[16];    // 16 + log r; 0 for r = 0
  uint8_t log_l[16];    // 16 + log l; 64 for l = 0
  uint8_t nu0[16];      // nu0(l) + nu1(0)
  uint8_t nu1[16];      // at e = log r - log l: nu1(l / r) + nu1(0)
  uint8_t log_phi[16];  // at l' + nu1(0): 16 - log phi(l') modulo 15
  uint8_t out_l[16];    // at l' + nu1(0): l' and sigma(0), which out_r leaves out
  uint8_t out_r[16];    // at log (r phi(l')): r' + sigma(0)
};
constexpr ForwardTables make_forward_tables() {
  const LinearMap out = from_images(kTu.alpha) * from_images(kTu.omega);
  const uint8_t nu1_of_0 = kTu.nu1[0], sigma_of_0 = kTu.sigma[0];
  ForwardTables t{};
  for (unsigned x = 0; x < 16; ++x) {
    const unsigned l1 = x ^ nu1_of_0;
    t.log_r[x] = x ? 16 + kTu.log[x] : 0;
    t.log_l[x] = x ? 16 + kTu.log[x] : 64;
    t.nu0[x] = kTu.nu0[x] ^ nu1_of_0;
    t.nu1[x] = x < 15 ? kTu.nu1[kTu.exp[(15 - x) % 15]] ^ nu1_of_0 : 0;
    t.log_phi[x] = static_cast<uint8_t>(16 + (15 - kTu.log[kTu.phi[l1]]) % 15);
    t.out_l[x] = out(l1 << 4 | sigma_of_0);
    t.out_r[x] = x < 15 ? out(kTu.sigma[kTu.exp[x]] ^ sigma_of_0) : 0;
  }
  return t;
}

template <>
struct NibbleSbox<Direction::encrypt> {
  static constexpr LinearMap kBasis = from_images(kTu.alpha);

  alignas(64) static constexpr ForwardTables kTables = make_forward_tables();

  template <class V>
  VSH_INLINE_MEMBER static V substitute(V r, V l) {
    const auto& t = kTables;
    const V log_r = look_up(t.log_r, r);
    const V quotient = modulo_15(V(V::sub(log_r, look_up(t.log_l, l))));
    // r = 0: the index is l. Else log_r > l, and the look-up gives 0.
    const V l1 = look_up(t.nu0, V(V::sub(l, log_r))) ^ look_up(t.nu1, quotient);
    const V product = modulo_15(V(V::sub(log_r, look_up(t.log_phi, l1))));
    return look_up(t.out_l, l1) ^ look_up(t.out_r, product);
  }
};

struct BackwardTables {
  uint8_t log_product[16];  // at r': 16 + log sigma^-1(r'); 0 where that is 0
  uint8_t log_phi[16];      // at l': 16 + log phi(l')
  uint8_t log_quotient[16]; // at l': minus the logarithm of nu1^-1(l'), modulo 15; 64 where that is 0
  uint8_t out_r[16];        // at log r: r
  uint8_t out_l[16];        // at log l: l
  uint8_t out_l_of_0[16];   // at l': nu0^-1(l'), which is l where r = 0
};
constexpr BackwardTables make_backward_tables() {
  const LinearMap out = inverse(from_images(kTu.omega)) * inverse(from_images(kTu.alpha));
  BackwardTables t{};
  for (unsigned x = 0; x < 16; ++x) {
    t.log_product[kTu.sigma[x]] = x ? 16 + kTu.log[x] : 0;
    t.log_phi[x] = 16 + kTu.log[kTu.phi[x]];
    t.log_quotient[kTu.nu1[x]] = x ? static_cast<uint8_t>((15 - kTu.log[x]) % 15) : 64;
    t.out_r[x] = x < 15 ? out(kTu.exp[x]) : 0;
    t.out_l[x] = x < 15 ? out(static_cast<unsigned>(kTu.exp[x] << 4)) : 0;
    t.out_l_of_0[kTu.nu0[x]] = out(x << 4);
  }
  return t;
}

template <>
struct NibbleSbox<Direction::decrypt> {
  static constexpr LinearMap kBasis = inverse(from_images(kTu.omega));

  alignas(64) static constexpr BackwardTables kTables = make_backward_tables();

  template <class V>
  VSH_INLINE_MEMBER static V substitute(V r1, V l1) {
    const auto& t = kTables;
    const V log_product = look_up(t.log_product, r1);
    const V log_r = modulo_15(V(V::sub(log_product, look_up(t.log_phi, l1))));
    const V log_l = modulo_15(V(V::sub(log_r, look_up(t.log_quotient, l1))));
    return V::xor3(look_up(t.out_r, log_r), look_up(t.out_l, log_l), look_up(t.out_l_of_0, V(V::sub(l1, log_product))));
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
