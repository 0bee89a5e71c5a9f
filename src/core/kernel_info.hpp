// KernelInfo is common to all rows, of ciphers and of tomography: names, needs, and whether the row may run.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/cpu.hpp"

namespace vsh {

struct KernelInfo {
  const char* family;   // "kuznyechik", "magma" (GOST 28147-89 too), "streebog", "gf2n", "slices": the folder
  const char* variant;  // "avx2": the same word in the file name, --kernel, VERSHINA_KERNEL, tests and tables
  cpu::Isa isa;         // what the file is compiled for
  uint32_t lanes;       // blocks (or messages, or slices) of one pass
  uint32_t pass_cost;   // core cycles of one pass, measured: decides when a padded pass beats blocks one by one
  bool constant_time;   // no branch and no address depends on key, data or S-box
  uint32_t pass_cost_custom = 0;  // the same with a user's own S-boxes, if that differs; else 0
};

inline bool runnable(const KernelInfo& info) noexcept {
  const uint32_t need = cpu::required(info.isa);
  return (cpu::features() & need) == need;
}

enum class Choice { ok, unknown, cpu, tables };

// Returns whether a row may run, or why not.
inline Choice permission(const KernelInfo& info, bool allow_tables) noexcept {
  if (!runnable(info)) return Choice::cpu;
  return info.constant_time || allow_tables ? Choice::ok : Choice::tables;
}

// Looks for the row of a variant that the caller forces. found stays as it is unless the row may run.
template <class Row>
Choice find_forced(std::span<const Row* const> rows, std::string_view variant, bool allow_tables, const Row*& found) {
  for (const Row* row : rows) {
    if (row->info.variant != variant) continue;
    const Choice status = permission(row->info, allow_tables);
    if (status == Choice::ok) found = row;
    return status;
  }
  return Choice::unknown;
}

}  // namespace vsh
