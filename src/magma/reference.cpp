#include "magma/reference.hpp"

#include <algorithm>
#include <bit>

namespace vsh::magma::reference {
namespace {

// K_1..K_8 three times, then K_8..K_1.
std::array<uint32_t, 32> repeat(const std::array<uint32_t, 8>& k) {
  std::array<uint32_t, 32> all;
  for (int i = 0; i < 24; ++i) all[i] = k[i % 8];
  for (int i = 24; i < 32; ++i) all[i] = k[31 - i];
  return all;
}

}  // namespace

uint32_t t(Rows rows, uint32_t a) {
  uint32_t b = 0;
  for (int i = 0; i < 8; ++i) b |= static_cast<uint32_t>(rows[i][a >> (4 * i) & 15]) << (4 * i);
  return b;
}

uint32_t g(Rows rows, uint32_t k, uint32_t a) { return std::rotl(t(rows, a + k), 11); }

std::array<uint32_t, 32> key_schedule_magma(const std::array<uint8_t, 32>& key) {
  std::array<uint32_t, 8> k{};
  for (int i = 0; i < 32; ++i) k[i / 4] = k[i / 4] << 8 | key[i];
  return repeat(k);
}

std::array<uint32_t, 32> key_schedule_gost28147(const std::array<uint8_t, 32>& key) {
  std::array<uint32_t, 8> k{};
  for (int i = 31; i >= 0; --i) k[i / 4] = k[i / 4] << 8 | key[i];
  return repeat(k);
}

uint64_t E(Rows rows, const std::array<uint32_t, 32>& k, uint64_t a) {
  uint32_t a1 = static_cast<uint32_t>(a >> 32), a0 = static_cast<uint32_t>(a);
  for (int i = 0; i < 31; ++i) {  // G[k](a_1, a_0) = (a_0, g[k](a_0) ^ a_1)
    const uint32_t next = g(rows, k[i], a0) ^ a1;
    a1 = a0;
    a0 = next;
  }
  return uint64_t{g(rows, k[31], a0) ^ a1} << 32 | a0;  // G*[k]
}

uint64_t D(Rows rows, const std::array<uint32_t, 32>& k, uint64_t a) {
  std::array<uint32_t, 32> reversed = k;
  std::reverse(reversed.begin(), reversed.end());
  return E(rows, reversed, a);
}

}  // namespace vsh::magma::reference
