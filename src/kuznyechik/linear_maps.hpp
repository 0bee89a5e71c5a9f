// Linear maps of GF(2)^8 at compile time: products by field elements, changes of basis.
#pragma once

#include "kuznyechik/linear.hpp"

namespace vsh::kuznyechik {
namespace {

struct LinearMap {
  uint8_t image[8];  // of bits 0 .. 7

  constexpr uint8_t operator()(unsigned x) const {
    uint8_t y = 0;
    for (int k = 0; k < 8; ++k)
      if ((x >> k) & 1) y ^= image[k];
    return y;
  }
};

// The factors of l, which read the same from both ends, in the order of pairs: of z_15 and z_1, of z_14 and z_2, ...,
// of z_10 and z_6, and of z_8; that of z_0, z_7 and z_9 is 1. The list in linear.hpp is for a_15 ... a_0.
constexpr int kNumFactors = 7;
constexpr uint8_t factor(int i) { return i == kNumFactors - 1 ? kL[7] : kL[i]; }

constexpr LinearMap kIdentity = {{1, 2, 4, 8, 16, 32, 64, 128}};

constexpr LinearMap product_by(uint8_t c) {
  LinearMap m{};
  for (int k = 0; k < 8; ++k) m.image[k] = field_product(c, static_cast<uint8_t>(1 << k));
  return m;
}

// First g, then f.
constexpr LinearMap operator*(const LinearMap& f, const LinearMap& g) {
  LinearMap m{};
  for (int k = 0; k < 8; ++k) m.image[k] = f(g.image[k]);
  return m;
}

constexpr LinearMap inverse(const LinearMap& f) {
  LinearMap m{};
  for (int x = 0; x < 256; ++x)
    for (int k = 0; k < 8; ++k)
      if (f(static_cast<unsigned>(x)) == 1 << k) m.image[k] = static_cast<uint8_t>(x);
  return m;
}

// Isomorphism from the field of l to gf2p8mulb's, GF(2)[x] / (x^8 + x^4 + x^3 + x + 1): x goes to a root of x^8 + x^7 +
// x^6 + x + 1.
constexpr uint8_t gfni_product(uint8_t x, uint8_t y) {
  unsigned p = 0;
  for (int i = 7; i >= 0; --i) {
    p = (p << 1) ^ ((p & 0x80) ? 0x11Bu : 0u);
    if ((y >> i) & 1) p ^= x;
  }
  return static_cast<uint8_t>(p);
}
constexpr LinearMap field_isomorphism() {
  for (unsigned root = 2; root < 256; ++root) {
    uint8_t power[9] = {1};
    for (int k = 0; k < 8; ++k) power[k + 1] = gfni_product(power[k], static_cast<uint8_t>(root));
    if ((power[8] ^ power[7] ^ power[6] ^ power[1] ^ power[0]) != 0) continue;
    LinearMap m{};
    for (int k = 0; k < 8; ++k) m.image[k] = power[k];
    return m;
  }
  return {};
}
constexpr LinearMap kToGfni = field_isomorphism();

}  // namespace
}  // namespace vsh::kuznyechik
