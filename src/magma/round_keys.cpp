#include "magma/round_keys.hpp"

#include <cstring>

#include "core/bytes.hpp"

namespace vsh::magma {
namespace {

Parameters named(bool little_endian, tables::MagmaSbox set) noexcept {
  Parameters p{little_endian, false, set, {}};
  std::memcpy(p.rows, tables::kMagmaSboxes[static_cast<size_t>(set)].rows, sizeof p.rows);
  return p;
}

}  // namespace

Parameters magma_parameters() noexcept { return named(false, tables::MagmaSbox::tc26_z); }

Parameters gost28147_parameters(tables::MagmaSbox set) noexcept { return named(true, set); }

Parameters gost28147_parameters(const uint8_t* rows) noexcept {
  Parameters p{true, true, tables::MagmaSbox::tc26_z, {}};
  std::memcpy(p.rows, rows, sizeof p.rows);
  return p;
}

void change_key(RoundKeys& rk, const uint8_t* key) noexcept {
  for (int i = 0; i < 8; ++i) rk.k[i] = rk.little_endian ? load_le32(key + 4 * i) : load_be32(key + 4 * i);
}

}  // namespace vsh::magma
