// Costs of kernels on this machine: measured by `vershina tune` if it has been run, else as the rows say. The
// file (core/cost_file.hpp) has a line for each row that runs here:
//
//     kuznyechik avx2 18230                 family, variant, core cycles of a pass (of one message's hash: of a block)
//     magma avx2 4410 16200                 ... and of one with a user's own S-boxes
//
// It does not decide which rows may run.
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

// Formats every row that runs here and whose cost is known.
std::string format_row_costs(const Identity& identity, std::span<const KernelInfo* const> rows, const Costs& costs);

// Fills in costs and returns an empty text for a file made here that names each row of `rows` that runs here once, and
// no other. Otherwise returns why not (parse()) and leaves costs unchanged.
std::string parse_row_costs(std::string_view text, const Identity& here, std::span<const KernelInfo* const> rows,
                            Costs& costs);

// Returns the costs in the file; null if there are none.
const Costs* measured() noexcept;
// Returns the file that is used.
const Source& source() noexcept;

// Returns core cycles of one pass, at least 1; of one message's hash, of a block. costs: null for the row's own.
uint32_t pass_cost(const Costs* costs, const KernelInfo& row, bool custom_sbox) noexcept;

}  // namespace vsh::tuner
