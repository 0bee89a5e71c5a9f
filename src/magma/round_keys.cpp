#include "magma/round_keys.hpp"

#include <cstring>

#include "core/bytes.hpp"

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

void change_key(RoundKeys& rk, const uint8_t* key) noexcept {
  for (int i = 0; i < 8; ++i) rk.k[i] = rk.little_endian ? load_le32(key + 4 * i) : load_be32(key + 4 * i);
}

}  // namespace vsh::magma
