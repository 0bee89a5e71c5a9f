#include "magma/round_keys.hpp"

#include <cstring>

#include "core/bytes.hpp"
#include "magma/one_block.hpp"

namespace vsh::magma {

void expand_key_magma(RoundKeys& rk, const uint8_t* key) noexcept {
  expand_key_gost28147(rk, key, tables::MagmaSbox::tc26_z);
  for (int i = 0; i < 8; ++i) rk.k[i] = load_be32(key + 4 * i);
  rk.little_endian = false;
}

void expand_key_gost28147(RoundKeys& rk, const uint8_t* key, tables::MagmaSbox set) noexcept {
  expand_key_gost28147(rk, key, tables::kMagmaSboxes[static_cast<size_t>(set)].rows);
  rk.custom = false;
  rk.set = set;
}

void expand_key_gost28147(RoundKeys& rk, const uint8_t* key, const uint8_t custom[8][16]) noexcept {
  for (int i = 0; i < 8; ++i) rk.k[i] = load_le32(key + 4 * i);
  rk.little_endian = true;
  rk.custom = true;
  rk.set = tables::MagmaSbox::tc26_z;
  std::memcpy(rk.rows, custom, sizeof rk.rows);
}

void imit_rounds(const RoundKeys& rk, uint8_t block[8]) noexcept {
  NibblePolynomials boxes;
  boxes.prepare(rk.rows);
  uint32_t n1 = load_le32(block), n2 = load_le32(block + 4);
  for (int i = 0; i < 16; i += 2) {
    n2 ^= boxes.g(rk.k[i % 8], n1);
    n1 ^= boxes.g(rk.k[(i + 1) % 8], n2);
  }
  store_le32(block, n1);
  store_le32(block + 4, n2);
}

}  // namespace vsh::magma
