// The cost of a slice by each row on this machine, measured by `vershina tomo tune`, in a file of core/cost_file.hpp. A
// line for each row that runs here names all works in their order:
//
//     slices avx2_fma fbp 39214001 dfr 12480776 ...     core cycles of a slice
#pragma once

#include <string>
#include <string_view>

#include "core/cost_file.hpp"
#include "tomography/slices/kernel.hpp"

namespace vsh::tomography {

// Work of plans, each with a row that does it best. A fan is the work that it is rebinned for.
enum class Method : uint8_t { fbp, dfr, hfbp, hfbp_fast, iterative, cone };
inline constexpr size_t kNumMethods = 6;
// Not inline, which would make it a unique symbol (tests/symbols.sh).
extern const std::string_view kMethodNames[kNumMethods];

inline constexpr size_t kMaxRows = 16;
inline constexpr uint64_t kMaxCost = 1'000'000'000'000;
struct SliceCosts {
  uint64_t of[kMaxRows][kNumMethods] = {};  // rows in the order of kernels.def; 0: not known
};

tuner::Identity identity_here();

// Formats every row that runs here; returns an empty text if a cost of one is not known.
std::string format_costs(const tuner::Identity& identity, const SliceCosts& costs);
// Fills in costs and returns an empty text for a file made here that names each row that runs here once, and no other.
// Otherwise returns why not and leaves costs unchanged.
std::string parse_costs(std::string_view text, const tuner::Identity& here, SliceCosts& costs);

// Returns the costs in the file, which is read once; null if there are none.
const SliceCosts* measured() noexcept;
// Returns the file that is used.
const tuner::Source& source() noexcept;

}  // namespace vsh::tomography
