#include "streebog/reference.hpp"

#include <cstring>

#include "circuits/sbox_tables.hpp"
#include "streebog/constants.hpp"

namespace vsh::streebog::reference {
namespace {

// The iteration constant C_i, i = 1 … 12.
Vector512 C(int i) {
  Vector512 c;
  for (int b = 0; b < 64; ++b) c[b] = iteration_constant_byte(i - 1, b);
  return c;
}

// tau of section 6.3 reads an 8x8 matrix of bytes by columns: tau = (0, 8, …, 56, 1, 9, …, 57, …, 7, 15, …,
// 63).
int tau(int i) { return 8 * (i % 8) + i / 8; }

// l of section 6.4: l(b) = b_63 A[0] ^ … ^ b_0 A[63].
uint64_t l(uint64_t b) {
  uint64_t y = 0;
  for (int i = 0; i < 64; ++i)
    if ((b >> (63 - i)) & 1) y ^= kMatrixA[i];
  return y;
}

Vector512 LPS(const Vector512& a) { return L(P(S(a))); }

Vector512 from_integer(uint64_t x) {
  Vector512 a{};
  for (int i = 0; i < 8; ++i) a[i] = static_cast<uint8_t>(x >> (8 * i));
  return a;
}

}  // namespace

Vector512 X(const Vector512& k, const Vector512& a) {
  Vector512 y;
  for (int i = 0; i < 64; ++i) y[i] = k[i] ^ a[i];
  return y;
}

Vector512 S(const Vector512& a) {
  Vector512 y;
  for (int i = 0; i < 64; ++i) y[i] = tables::kKuznyechikPi[a[i]];
  return y;
}

Vector512 P(const Vector512& a) {
  Vector512 y;
  for (int i = 0; i < 64; ++i) y[i] = a[tau(i)];
  return y;
}

Vector512 L(const Vector512& a) {
  Vector512 y;
  for (int w = 0; w < 8; ++w) {
    uint64_t b = 0;
    for (int i = 7; i >= 0; --i) b = (b << 8) | a[8 * w + i];
    b = l(b);
    for (int i = 0; i < 8; ++i) y[8 * w + i] = static_cast<uint8_t>(b >> (8 * i));
  }
  return y;
}

// E(K, m) = X[K_13] LPSX[K_12] … LPSX[K_1](m), K_1 = K, K_i = LPS(K_{i-1} ^ C_{i-1}).
Vector512 E(const Vector512& k, const Vector512& m) {
  Vector512 key = k;
  Vector512 state = m;
  for (int i = 1; i <= kRounds; ++i) {
    state = LPS(X(key, state));
    key = LPS(X(key, C(i)));
  }
  return X(key, state);
}

// g_N(h, m) = E(LPS(h ^ N), m) ^ h ^ m.
Vector512 g(const Vector512& n, const Vector512& h, const Vector512& m) { return X(X(E(LPS(X(h, n)), m), h), m); }

Vector512 add(const Vector512& a, const Vector512& b) {
  Vector512 sum;
  int carry = 0;
  for (int i = 0; i < 64; ++i) {
    carry += a[i] + b[i];
    sum[i] = static_cast<uint8_t>(carry);
    carry >>= 8;
  }
  return sum;
}

void hash(int hash_bits, uint8_t* out, const uint8_t* message, size_t len) {
  // Stage 1 (section 9.1).
  Vector512 h;
  h.fill(hash_bits == 512 ? kInitialByte512 : kInitialByte256);
  Vector512 n{};
  Vector512 sigma{};
  const Vector512 zero{};

  // Stage 2 (section 9.2): blocks are taken from the end of the message in the standard's notation, which is its
  // beginning in memory.
  for (; len >= kBlockSize; message += kBlockSize, len -= kBlockSize) {
    Vector512 m;
    std::memcpy(m.data(), message, kBlockSize);
    h = g(n, h, m);
    n = add(n, from_integer(512));
    sigma = add(sigma, m);
  }

  // Stage 3 (section 9.3): m = 0 … 0 || 1 || M.
  Vector512 m{};
  if (len > 0) std::memcpy(m.data(), message, len);
  m[len] = 1;
  h = g(n, h, m);
  n = add(n, from_integer(8 * len));
  sigma = add(sigma, m);
  h = g(zero, h, n);
  h = g(zero, h, sigma);
  // The 256-bit hash is MSB_256(h).
  if (hash_bits == 512) std::memcpy(out, h.data(), 64);
  else std::memcpy(out, h.data() + 32, 32);
}

}  // namespace vsh::streebog::reference
