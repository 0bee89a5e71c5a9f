// Which kernels this build has, which the CPU can run, which are chosen.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/ladder.hpp"

namespace vsh {

namespace tuner {
struct Costs;
}

enum class Algorithm { kuznyechik, magma, gost28147, streebog, gf2n };  // gf2n: products, for MGM

// "kuznyechik"; gost28147 has its own name but shares the rows of family "magma".
const char* algorithm_name(Algorithm a) noexcept;
const char* family_name(Algorithm a) noexcept;

// The rows of this build in the order of kernels.def.
std::span<const BlockKernel* const> block_kernels(Algorithm a) noexcept;
std::span<const HashKernel* const> hash_kernels() noexcept;
std::span<const HashLanesKernel* const> hash_lanes_kernels() noexcept;
std::span<const ProductKernel* const> product_kernels() noexcept;
// What the rows of ciphers and hashes say of themselves, in the same order: the rows that the tuner measures. (Of the
// products the order of kernels.def says enough: each is twice as fast as the next.)
std::span<const KernelInfo* const> kernel_infos() noexcept;

inline bool runnable(const KernelInfo& info) noexcept {
  const uint32_t need = cpu::required(info.isa);
  return (cpu::features() & need) == need;
}

enum class Choice { ok, unknown, cpu, tables };

// Whether a row may run, and else why not.
inline Choice permission(const KernelInfo& info, bool allow_tables) noexcept {
  if (!runnable(info)) return Choice::cpu;
  return info.constant_time || allow_tables ? Choice::ok : Choice::tables;
}

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
  const HashLanesKernel* row = nullptr;  // null with ok: a row for one message is forced and does all of them
  bool forced = false;
};
struct ProductChoice {
  Choice status = Choice::ok;
  const ProductKernel* row = nullptr;
};

// forced: a variant's name, or empty. Where it is empty, the environment's VERSHINA_KERNEL counts: a comma-separated
// list of algorithm:variant (kuznyechik:avx2,gost28147:portable,streebog:portable). A forced row serves every size. A
// table row needs allow_tables whoever names it.
//
// Not forced: what was measured on this machine decides (core/row_costs.hpp), or else default_ladder without costs.
BlockChoice choose_block_kernel(Algorithm a, std::string_view forced, bool allow_tables,
                                bool custom_sbox = false) noexcept;
HashChoice choose_hash_kernel(std::string_view forced, bool allow_tables) noexcept;
// Many messages. A forced name of either kind holds for both: one message then runs on the default row, or many run on
// the row for one; that this CPU lacks it is an error to both.
HashLanesChoice choose_hash_lanes_kernel(std::string_view forced) noexcept;
// By the environment, or else the first that this CPU can run: no message's result depends on it, so no caller forces
// it.
ProductChoice choose_product_kernel() noexcept;

// The choice where nothing is forced; without rungs, or null, where the build has no row for this CPU.
//
// costs: of this machine; the row that is cheapest by the block does large requests. Null: as the rows say, each from
// its author's machine, so that the first allowed row of kernels.def does large requests (but with a user's own
// S-boxes, of which the order knows nothing, the cheapest by the block). The rungs below follow from costs in any case.
Ladder default_ladder(Algorithm a, bool allow_tables, bool custom_sbox, const tuner::Costs* costs) noexcept;
const HashKernel* default_hash_kernel(bool allow_tables, const tuner::Costs* costs) noexcept;
const HashLanesKernel* default_hash_lanes_kernel(const tuner::Costs* costs) noexcept;

}  // namespace vsh
