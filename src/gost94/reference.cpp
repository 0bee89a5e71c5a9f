#include "gost94/reference.hpp"

#include <algorithm>

namespace vsh::gost94::reference {
namespace {

Word operator^(Word a, const Word& b) {
  for (size_t i = 0; i < 32; ++i) a[i] ^= b[i];
  return a;
}

Word power_of_psi(int exponent, Word x) {
  for (int i = 0; i < exponent; ++i) x = psi(x);
  return x;
}

// Modulo 2^256.
Word sum(const Word& a, const Word& b) {
  Word c;
  unsigned carry = 0;
  for (size_t i = 0; i < 32; ++i) {
    carry += a[i] + b[i];
    c[i] = static_cast<uint8_t>(carry);
    carry >>= 8;
  }
  return c;
}

Word number(uint64_t n) {
  Word w{};
  for (size_t i = 0; i < 8; ++i) w[i] = static_cast<uint8_t>(n >> (8 * i));
  return w;
}

// 1^8||0^8||1^16||0^24||1^16||0^8||(0^8||1^8)^2||1^8||0^8||(0^8||1^8)^4||(1^8||0^8)^4, as written in the standard.
constexpr char kC3[] = "FF00FFFF000000FFFF0000FF00FFFF0000FF00FF00FF00FFFF00FF00FF00FF00";

}  // namespace

// (x_1 ^ x_2) || x_4 || x_3 || x_2
Word A(const Word& x) {
  Word y;
  std::copy(x.begin() + 8, x.end(), y.begin());
  for (size_t i = 0; i < 8; ++i) y[24 + i] = x[i] ^ x[8 + i];
  return y;
}

// xi_phi(32) || ... || xi_phi(1), phi(i + 1 + 4 (k - 1)) = 8 i + k
Word P(const Word& x) {
  Word y;
  for (size_t i = 0; i <= 3; ++i)
    for (size_t k = 1; k <= 8; ++k) y[i + 1 + 4 * (k - 1) - 1] = x[8 * i + k - 1];
  return y;
}

std::array<Word, 4> keys(const Word& m, const Word& h) {
  Word c3;
  for (size_t i = 0; i < 32; ++i) c3[31 - i] = kC3[2 * i] == 'F' ? 0xff : 0;
  std::array<Word, 4> k;
  Word u = h, v = m;
  k[0] = P(u ^ v);
  for (size_t i = 1; i < 4; ++i) {
    u = i == 2 ? A(u) ^ c3 : A(u);
    v = A(A(v));
    k[i] = P(u ^ v);
  }
  return k;
}

Word encrypt(magma::reference::Rows rows, const std::array<Word, 4>& keys, const Word& h) {
  Word s;
  for (size_t i = 0; i < 4; ++i) {
    uint64_t block = 0;
    for (size_t b = 0; b < 8; ++b) block |= uint64_t{h[8 * i + b]} << (8 * b);
    block = magma::reference::E(rows, magma::reference::key_schedule_gost28147(keys[i]), block);
    for (size_t b = 0; b < 8; ++b) s[8 * i + b] = static_cast<uint8_t>(block >> (8 * b));
  }
  return s;
}

// eta_1 ^ eta_2 ^ eta_3 ^ eta_4 ^ eta_13 ^ eta_16 || eta_16 || ... || eta_2
Word psi(const Word& x) {
  Word y;
  std::copy(x.begin() + 2, x.end(), y.begin());
  for (size_t b = 0; b < 2; ++b) {
    y[30 + b] = 0;
    for (const size_t eta : {1, 2, 3, 4, 13, 16}) y[30 + b] ^= x[2 * (eta - 1) + b];
  }
  return y;
}

Word chi(magma::reference::Rows rows, const Word& m, const Word& h) {
  const Word s = encrypt(rows, keys(m, h), h);
  return power_of_psi(61, h ^ psi(m ^ power_of_psi(12, s)));
}

Word hash(magma::reference::Rows rows, const uint8_t* message, size_t len) {
  Word h{}, sigma{}, l{};
  const auto take = [&](size_t n) {
    Word m{};
    std::copy(message, message + n, m.begin());
    message += n, len -= n;
    h = chi(rows, m, h);
    sigma = sum(sigma, m);
    l = sum(l, number(8 * n));
  };
  while (len > 32) take(32);
  if (len) take(len);  // to the letter: of nothing, too, a block of zeros; but see README.md
  return chi(rows, sigma, chi(rows, l, h));
}

}  // namespace vsh::gost94::reference
