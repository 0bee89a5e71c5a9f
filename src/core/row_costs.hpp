// What the kernels cost on this machine: measured by `vershina tune` where it has been run, else as the rows say. The
// file (core/cost_file.hpp) has a line for each row that runs here:
//
//     kuznyechik avx2 18230                 family, variant, core cycles of a pass (of one message's hash: of a block)
//     magma avx2 4410 16200                 ... and of one with a user's own S-boxes
//
// Which rows may run is never asked of it.
#pragma once

#include <span>

#include "core/cost_file.hpp"
#include "core/kernel.hpp"

namespace vsh::tuner {

struct RowCost {
  uint32_t pass = 0;    // 0: not known
  uint32_t custom = 0;  // with a user's own S-boxes
};
inline constexpr size_t kMaxRows = 128;
struct Costs {
  RowCost of[kMaxRows] = {};  // in the order of the rows
};

inline constexpr size_t kMaxRowCostsSize = 16 * 1024;  // bytes; a longer file is not read
inline constexpr uint32_t kMaxCost = 1'000'000'000;    // core cycles

// Every row that runs here and whose cost is known.
std::string format_row_costs(const Identity& identity, std::span<const KernelInfo* const> rows, const Costs& costs);

// Empty, and costs filled in, for a file made here that names each row of `rows` that runs here once, and no other.
// Otherwise why not (parse()), and costs are as they were.
std::string parse_row_costs(std::string_view text, const Identity& here, std::span<const KernelInfo* const> rows,
                            Costs& costs);

// What the file says; null where there is none to go by.
const Costs* measured() noexcept;
// The file that is meant.
const Source& source() noexcept;

// Core cycles of one pass, at least 1; of one message's hash, of a block. costs: null for those of the row itself.
uint32_t pass_cost(const Costs* costs, const KernelInfo& row, bool custom_sbox) noexcept;

}  // namespace vsh::tuner
