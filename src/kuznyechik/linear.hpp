// The linear transformation L of Kuznyechik as a matrix over GF(2^8), and the iteration constants, all computed by the
// compiler from the definition of l. GOST R 34.12-2015 clauses 4.1.2, 4.2, 4.3 (RFC 7801 clauses 4.1.2 to 4.3).
// Bytes stand in the order of the standard's text: index 0 is a_15, the first byte in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::kuznyechik {
namespace {

struct Block {
  uint8_t b[16];
};

// Product modulo x^8 + x^7 + x^6 + x + 1. Constant time in neither argument: for compile-time use.
constexpr uint8_t field_product(uint8_t x, uint8_t y) {
  unsigned p = 0, a = x;
  for (int i = 0; i < 8; ++i) {
    if ((y >> i) & 1) p ^= a;
    a = (a << 1) ^ ((a & 0x80) ? 0x1C3u : 0u);
  }
  return static_cast<uint8_t>(p);
}

// Coefficients of l for a_15, a_14, ..., a_0.
constexpr uint8_t kL[16] = {148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1};

constexpr uint8_t l(const Block& a) {
  uint8_t sum = 0;
  for (int i = 0; i < 16; ++i) sum ^= field_product(kL[i], a.b[i]);
  return sum;
}

// L = R^16, R(a) = l(a) || a_15 || ... || a_1.
constexpr Block l_transform(Block a) {
  for (int step = 0; step < 16; ++step) {
    const uint8_t first = l(a);
    for (int i = 15; i > 0; --i) a.b[i] = a.b[i - 1];
    a.b[0] = first;
  }
  return a;
}

constexpr Block l_inverse(Block a) {
  for (int step = 0; step < 16; ++step) {
    const uint8_t first = a.b[0];
    for (int i = 0; i < 15; ++i) a.b[i] = a.b[i + 1];
    a.b[15] = first;
    a.b[15] = l(a);  // the coefficient of a_0 is 1, so l undoes itself on the rotated block
  }
  return a;
}

// m[j].b[i]: the factor of byte j of the input in byte i of the output.
struct Matrix {
  Block column[16];
};

template <class F>
constexpr Matrix matrix_of(F f) {
  Matrix m{};
  for (int j = 0; j < 16; ++j) {
    Block unit{};
    unit.b[j] = 1;
    m.column[j] = f(unit);
  }
  return m;
}

// C_i = L(Vec_128(i)), i = 1 .. 32.
struct IterationConstants {
  Block c[32];
};
constexpr IterationConstants iteration_constants() {
  IterationConstants k{};
  for (int i = 0; i < 32; ++i) {
    Block v{};
    v.b[15] = static_cast<uint8_t>(i + 1);
    k.c[i] = l_transform(v);
  }
  return k;
}

alignas(64) constexpr IterationConstants kIterationConstants = iteration_constants();

}  // namespace
}  // namespace vsh::kuznyechik
