// pi and its inverse by look-ups of 16 entries, on every byte of a vector, in constant time (circuits/tu_nibbles.hpp).
//
// The state is kept in the basis in which its nibbles are the halves of the decomposition (alpha for pi, the inverse of
// omega for the inverse), so that the linear map before it vanishes, and the one after it and the change of basis are
// part of the last look-ups.
#pragma once

#include "circuits/tu_nibbles.hpp"
#include "kuznyechik/bytesliced.hpp"
#include "kuznyechik/linear_maps.hpp"

namespace vsh::kuznyechik {
namespace {

using circuits::kTu;
using circuits::look_up;
using circuits::modulo_15;

template <Direction d>
struct NibbleSbox;

constexpr LinearMap from_images(const uint8_t (&image)[8]) {
  LinearMap m{};
  for (int k = 0; k < 8; ++k) m.image[k] = image[k];
  return m;
}

struct ForwardTables {
  uint8_t out_l[16];  // at l' ^ nu1(0): l' and sigma(0), which out_r leaves out
  uint8_t out_r[16];  // at log (r * phi(l')): r' ^ sigma(0)
};
constexpr ForwardTables make_forward_tables() {
  const LinearMap out = from_images(kTu.alpha) * from_images(kTu.omega);
  ForwardTables t{};
  for (int x = 0; x < 16; ++x) {
    t.out_l[x] = out(static_cast<unsigned>(circuits::tu_l(x) << 4 | kTu.sigma[0]));
    t.out_r[x] = out(circuits::tu_r(x));
  }
  return t;
}

template <>
struct NibbleSbox<Direction::encrypt> {
  static constexpr LinearMap kBasis = from_images(kTu.alpha);

  alignas(64) static constexpr ForwardTables kTables = make_forward_tables();

  template <class V>
  VSH_INLINE_MEMBER static V substitute(V r, V l) {
    circuits::substitute_nibbles(l, r);
    return look_up(kTables.out_l, l) ^ look_up(kTables.out_r, r);
  }
};

struct BackwardTables {
  uint8_t log_product[16];   // at r': 16 + log sigma^-1(r'); 0 where that is 0
  uint8_t log_phi[16];       // at l': 16 + log phi(l')
  uint8_t log_quotient[16];  // at l': minus the logarithm of nu1^-1(l'), modulo 15; 64 where that is 0
  uint8_t out_r[16];         // at log r: r
  uint8_t out_l[16];         // at log l: l
  uint8_t out_l_of_0[16];    // at l': nu0^-1(l'), which is l where r = 0
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
