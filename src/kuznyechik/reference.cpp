#include "kuznyechik/reference.hpp"

#include <algorithm>

#include "circuits/sbox_tables.hpp"

namespace vsh::kuznyechik::reference {
namespace {

// GF(2)[x] / (x^8 + x^7 + x^6 + x + 1).
uint8_t multiply(unsigned x, unsigned y) {
  unsigned product = 0;
  for (; y; y >>= 1) {
    if (y & 1) product ^= x;
    x <<= 1;
    if (x & 0x100) x ^= 0x1C3;
  }
  return static_cast<uint8_t>(product);
}

}  // namespace

uint8_t l(const Block& a) {
  constexpr uint8_t c[16] = {148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1};
  uint8_t sum = 0;
  for (int i = 0; i < 16; ++i) sum ^= multiply(c[i], a[i]);
  return sum;
}

Block X(const Block& k, const Block& a) {
  Block b;
  for (int i = 0; i < 16; ++i) b[i] = k[i] ^ a[i];
  return b;
}

Block S(const Block& a) {
  Block b;
  for (int i = 0; i < 16; ++i) b[i] = tables::kKuznyechikPi[a[i]];
  return b;
}

Block S_inverse(const Block& a) {
  Block b;
  for (int i = 0; i < 16; ++i)
    b[i] = static_cast<uint8_t>(std::find(tables::kKuznyechikPi, tables::kKuznyechikPi + 256, a[i]) -
                                tables::kKuznyechikPi);
  return b;
}

// R(a_15 || ... || a_0) = l(a_15, ..., a_0) || a_15 || ... || a_1.
Block R(const Block& a) {
  Block b;
  b[0] = l(a);
  std::copy(a.begin(), a.begin() + 15, b.begin() + 1);
  return b;
}

// R^-1(a_15 || ... || a_0) = a_14 || ... || a_0 || l(a_14, ..., a_0, a_15).
Block R_inverse(const Block& a) {
  Block rotated;
  std::rotate_copy(a.begin(), a.begin() + 1, a.end(), rotated.begin());
  Block b = rotated;
  b[15] = l(rotated);
  return b;
}

Block L(Block a) {
  for (int i = 0; i < 16; ++i) a = R(a);
  return a;
}

Block L_inverse(Block a) {
  for (int i = 0; i < 16; ++i) a = R_inverse(a);
  return a;
}

std::array<Block, 10> key_schedule(const std::array<uint8_t, 32>& key) {
  std::array<Block, 10> k;
  std::copy(key.begin(), key.begin() + 16, k[0].begin());
  std::copy(key.begin() + 16, key.end(), k[1].begin());
  Block a1 = k[0], a0 = k[1];
  for (int i = 1; i <= 32; ++i) {
    Block vec{};
    vec[15] = static_cast<uint8_t>(i);
    const Block c = L(vec);
    const Block f = X(L(S(X(c, a1))), a0);  // F[C](a_1, a_0) = (LSX[C](a_1) ^ a_0, a_1)
    a0 = a1;
    a1 = f;
    if (i % 8 == 0) {
      k[i / 4] = a1;
      k[i / 4 + 1] = a0;
    }
  }
  return k;
}

Block E(const std::array<Block, 10>& k, Block a) {
  for (int i = 0; i < 9; ++i) a = L(S(X(k[i], a)));
  return X(k[9], a);
}

Block D(const std::array<Block, 10>& k, Block a) {
  a = X(k[9], a);
  for (int i = 8; i >= 0; --i) a = X(k[i], S_inverse(L_inverse(a)));
  return a;
}

}  // namespace vsh::kuznyechik::reference
