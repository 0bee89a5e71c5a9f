#include "gf2n/reference.hpp"

#include <cstddef>

namespace vsh::gf2n::reference {
namespace {

using Bytes = std::vector<uint8_t>;

// Returns coefficient i of the polynomial that a string represents: its bits are numbered from the right.
bool coefficient(const Bytes& x, size_t i) { return x[x.size() - 1 - i / 8] >> (i % 8) & 1; }

// Returns w * z modulo f; the bits of f_tail are the powers of f below the highest one.
Bytes times_w(const Bytes& z, uint8_t f_tail) {
  const bool overflows = coefficient(z, 8 * z.size() - 1);
  Bytes result(z.size());
  for (size_t i = 0; i < z.size(); ++i)
    result[i] = static_cast<uint8_t>(z[i] << 1 | (i + 1 < z.size() ? z[i + 1] >> 7 : 0));
  if (overflows) result.back() ^= f_tail;
  return result;
}

}  // namespace

Bytes multiply(const Bytes& x, const Bytes& y) {
  const uint8_t f_tail = x.size() == 8 ? 0b11011 : 0b10000111;  // w^4 + w^3 + w + 1, w^7 + w^2 + w + 1
  Bytes product(x.size());
  for (size_t i = 8 * x.size(); i-- > 0;) {  // Horner's rule in w
    product = times_w(product, f_tail);
    if (!coefficient(x, i)) continue;
    for (size_t j = 0; j < y.size(); ++j) product[j] ^= y[j];
  }
  return product;
}

}  // namespace vsh::gf2n::reference
