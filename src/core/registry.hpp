// Which kernels this build has, which the CPU can run, which are chosen.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/kernel.hpp"

namespace vsh {

enum class Algorithm { kuznyechik, magma, gost28147, streebog };

// "kuznyechik"; gost28147 has its own name but shares the rows of family "magma".
const char* algorithm_name(Algorithm a) noexcept;
const char* family_name(Algorithm a) noexcept;

// The rows of this build in the order of kernels.def.
std::span<const BlockKernel* const> block_kernels(Algorithm a) noexcept;
std::span<const HashKernel* const> hash_kernels() noexcept;
std::span<const HashLanesKernel* const> hash_lanes_kernels() noexcept;

inline bool runnable(const KernelInfo& info) noexcept {
  const uint32_t need = cpu::required(info.isa);
  return (cpu::features() & need) == need;
}

enum class Choice { ok, unknown, cpu, tables };

struct BlockChoice {
  Choice status = Choice::ok;
  const BlockKernel* many = nullptr;  // for many independent blocks
  const BlockKernel* one = nullptr;   // for one block after the other, and for what is left of a pass
};
struct HashChoice {
  Choice status = Choice::ok;
  const HashKernel* row = nullptr;
};
struct HashLanesChoice {
  Choice status = Choice::ok;
  const HashLanesKernel* row = nullptr;  // null with ok: a row for one message is forced and does all of them
};

// forced: a variant's name, or empty. Where it is empty, the environment's VERSHINA_KERNEL counts: a comma-separated
// list of algorithm:variant (kuznyechik:avx2,gost28147:portable,streebog:portable). A forced row serves both purposes.
// A table row needs allow_tables whoever names it.
BlockChoice choose_block_kernel(Algorithm a, std::string_view forced, bool allow_tables) noexcept;
HashChoice choose_hash_kernel(std::string_view forced, bool allow_tables) noexcept;
// Many messages. A forced name of either kind holds for both: one message then runs on the default row, or many run on
// the row for one.
HashLanesChoice choose_hash_lanes_kernel(std::string_view forced) noexcept;

}  // namespace vsh
