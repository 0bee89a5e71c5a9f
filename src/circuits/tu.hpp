// The TU decomposition of pi, the S-box of Kuznyechik and Streebog (Biryukov, Perrin, Udovenko, "Reverse-Engineering
// the S-Box of Streebog, Kuznyechik and STRIBOBr1", EUROCRYPT 2016, section 3):
//   pi(x) = omega(l' || r') with (l || r) = alpha(x), l' = r ? nu1(l / r) : nu0(l), r' = sigma(r * phi(l'))
// over GF(2^4).
#pragma once

#include "circuits/sbox_tables.hpp"

namespace vsh::circuits {
namespace {

// A linear map is given by its images of bits 0 … 7.
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

}  // namespace
}  // namespace vsh::circuits
