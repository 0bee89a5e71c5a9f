// Lists the kernels of this build and chooses among those that the CPU can run.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/ladder.hpp"

namespace vsh {

namespace tuner {
struct RowCosts;
}

enum class Algorithm { kuznyechik, magma, gost28147, streebog, gf2n };  // gf2n: products, for MGM

// Properties of an algorithm besides its kernels.
struct AlgorithmInfo {
  Algorithm algorithm;
  const char* name;
  const char* family;  // whose rows it has: gost28147 shares those of "magma"
  size_t block_size;   // bytes, of a cipher; else 0
};
// In the order of the enumerators. Not inline, which would make it a unique symbol (tests/symbols.sh).
extern const AlgorithmInfo kAlgorithms[5];

inline const AlgorithmInfo& info_of(Algorithm a) noexcept { return kAlgorithms[static_cast<size_t>(a)]; }
inline const char* algorithm_name(Algorithm a) noexcept { return info_of(a).name; }
inline const char* family_name(Algorithm a) noexcept { return info_of(a).family; }
inline size_t block_size(Algorithm a) noexcept { return info_of(a).block_size; }
// Returns null for an unknown name.
const AlgorithmInfo* info_by_name(std::string_view name) noexcept;

// Return the rows of this build in the order of kernels.def.
std::span<const BlockKernel* const> block_kernels(Algorithm a) noexcept;
std::span<const HashKernel* const> hash_kernels() noexcept;
std::span<const HashLanesKernel* const> hash_lanes_kernels() noexcept;
std::span<const ProductKernel* const> product_kernels() noexcept;
// Returns the rows of ciphers and hashes, which the tuner measures, in the same order. (For products the order of
// kernels.def suffices: each is twice as fast as the next.)
std::span<const KernelInfo* const> kernel_infos() noexcept;

struct BlockChoice {
  Choice status = Choice::ok;
  Ladder ladder;        // without rungs unless ok
  bool forced = false;  // by the caller or the environment: nothing else may be used
};
struct HashChoice {
  Choice status = Choice::ok;
  const HashKernel* row = nullptr;
};
struct HashLanesChoice {
  Choice status = Choice::ok;
  const HashLanesKernel* row = nullptr;  // null with ok: a row for single messages is forced and does all of them
  bool forced = false;
};
struct ProductChoice {
  Choice status = Choice::ok;
  const ProductKernel* row = nullptr;
};

// forced: a variant's name, or empty. If it is empty, the environment's VERSHINA_KERNEL counts: a comma-separated list
// of algorithm:variant (kuznyechik:avx2,gost28147:portable,streebog:portable). A forced row serves every size. A table
// row always needs allow_tables.
//
// Without a forced row, the costs measured on this machine decide (core/row_costs.hpp), or else default_ladder without
// costs.
BlockChoice choose_block_kernel(Algorithm a, std::string_view forced, bool allow_tables,
                                bool custom_sbox = false) noexcept;
HashChoice choose_hash_kernel(std::string_view forced, bool allow_tables) noexcept;
// Chooses the row for many messages. A forced name of either kind applies to both: single messages then run on the
// default row, or many run on the row for one; a row that this CPU cannot run is an error for both.
HashLanesChoice choose_hash_lanes_kernel(std::string_view forced) noexcept;
// Chooses by the environment, or else the first row that this CPU can run. Results do not depend on it, so callers
// cannot force it.
ProductChoice choose_product_kernel() noexcept;

// Return the choice if nothing is forced; without rungs, or null, if the build has no row for this CPU.
//
// costs: of this machine; the row with the lowest cost per block does large requests. Null: those of the rows, each
// measured on its author's machine, so the first allowed row of kernels.def does large requests (with a user's own
// S-boxes, which the order does not consider, the row with the lowest cost per block). The rungs below follow from
// costs in any case.
Ladder default_ladder(Algorithm a, bool allow_tables, bool custom_sbox, const tuner::RowCosts* costs) noexcept;
const HashKernel* default_hash_kernel(bool allow_tables, const tuner::RowCosts* costs) noexcept;
const HashLanesKernel* default_hash_lanes_kernel(const tuner::RowCosts* costs) noexcept;

}  // namespace vsh
