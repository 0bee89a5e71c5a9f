// The file that `vershina tune` writes and the library reads: what a pass of each kernel costs on this machine.
//
//     vershina-tune 1
//     cpu AMD EPYC-Milan Processor          that it was measured on
//     features ssse3 sse4.1 avx2
//     build 0f3a6b7c8d9e1122                version, compiler and rows (build_id)
//     kuznyechik avx2 18230                 family, variant, core cycles of a pass (of one message's hash: of a block)
//     magma avx2 4410 16200                 ... and of one with a user's own S-boxes
//
// Costs, and not an order or a choice: one rule then serves the default and the tuned choice, and the worst that a
// wrong or malicious file can do is to make the library slow. Which rows may run is never asked of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/kernel.hpp"

namespace vsh::tuner {

// Measurements hold for this processor, as its operating system presents it, and this build.
struct Identity {
  std::string cpu, features, build;
};
Identity identity_here();

struct RowCost {
  uint32_t pass = 0;    // 0: not known
  uint32_t custom = 0;  // with a user's own S-boxes
};
inline constexpr size_t kMaxRows = 128;
struct Costs {
  RowCost of[kMaxRows] = {};  // in the order of the rows
};

inline constexpr size_t kMaxCacheSize = 16 * 1024;   // bytes; a longer file is no cache
inline constexpr uint32_t kMaxCost = 1'000'000'000;  // core cycles

// Every row that runs here and whose cost is known.
std::string format_cache(const Identity& identity, std::span<const KernelInfo* const> rows, const Costs& costs);

// Empty, and costs filled in, for a cache made here that names each row of `rows` that runs here once, and no other.
// Otherwise why not, in a few words without anything of the text.
std::string parse_cache(std::string_view text, const Identity& here, std::span<const KernelInfo* const> rows,
                        Costs& costs);

}  // namespace vsh::tuner
