// Costs of kernels on this machine: measured by `vershina tune` if it has been run, else as the rows say. The
// file (core/cost_file.hpp) has a line for each row that runs here:
//
//     kuznyechik avx2 18230                 family, variant, core cycles of a pass (of one message's hash: of a block)
//     magma avx2 4410 16200                 ... and of one with a user's own S-boxes
//     kuznyechik avx2 18230 chain 853 ...   ... and, since form 3, what batches depend on, by name
//
// It does not decide which rows may run.
#pragma once

#include <span>

#include "core/cost_file.hpp"
#include "core/kernel.hpp"

namespace vsh::tuner {

// Costs by which batches are planned, measured by src/streams/costs: core cycles of a cipher's row, named S-boxes.
enum class Figure {
  pass,     // one of many under one key; in the file the first number
  request,  // a single one, from call to result
  chain,    // of a block under one key that waits for the one before
  expand,   // from a key to round keys
  prepare,  // from round keys to the row's schedule
  // With a key in each lane:
  lane_row,    // of a block of each message, gathered and scattered
  lane_apart,  // the same where lines of messages are apart in the cache, as those of MGM's packets
  lane_chain,  // there, of one that waits for the row before
  lane_tag,    // of one that waits, gathered only
  lane_begin,  // before the first row
  lane_keys,   // to slice as many keys
};
inline constexpr size_t kNumFigures = 11;
struct Figures {
  uint32_t of[kNumFigures];  // 0: not known, or the row has no lanes

  uint32_t& operator[](Figure f) noexcept { return of[static_cast<size_t>(f)]; }
  uint32_t operator[](Figure f) const noexcept { return of[static_cast<size_t>(f)]; }
};

struct RowCost {
  uint32_t pass = 0;    // 0: not known
  uint32_t custom = 0;  // with a user's own S-boxes
  Figures figures = {};
};
inline constexpr size_t kMaxRows = 128;
struct RowCosts {
  RowCost of[kMaxRows] = {};  // in the order of the rows
};

inline constexpr size_t kMaxRowCostsSize = 16 * 1024;  // bytes; a longer file is not read
inline constexpr uint32_t kMaxCost = 1'000'000'000;    // core cycles

// With the rows of ciphers and hashes.
Identity identity_here();

// Formats every row that runs here and whose cost is known.
std::string format_row_costs(const Identity& identity, std::span<const KernelInfo* const> rows, const RowCosts& costs);

// Fills in costs and returns an empty text for a file made here that names each row of `rows` that runs here once, and
// no other. Otherwise returns why not (parse()) and leaves costs unchanged.
std::string parse_row_costs(std::string_view text, const Identity& here, std::span<const KernelInfo* const> rows,
                            RowCosts& costs);

// Returns the costs in the file; null if there are none.
const RowCosts* measured() noexcept;
// Returns the file that is used.
const Source& source() noexcept;

// Returns the figures of a row in the file, which may lack some; null without a file.
const Figures* measured_figures(const KernelInfo& row) noexcept;

// Returns core cycles of one pass, at least 1; of one message's hash, of a block. costs: null for the row's own.
uint32_t pass_cost(const RowCosts* costs, const KernelInfo& row, bool custom_sbox) noexcept;

}  // namespace vsh::tuner
