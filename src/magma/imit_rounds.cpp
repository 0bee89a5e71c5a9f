#include "magma/imit_rounds.hpp"

#include "core/registry.hpp"
#include "core/wipe.hpp"

namespace vsh::magma {

const BlockKernel* ImitRounds::find_kernel(std::string_view variant) noexcept {
  for (const BlockKernel* row : block_kernels(Algorithm::gost28147))
    if (row->imit && row->schedule_size <= kMaxSchedule && row->info.lanes == 1 && runnable(row->info) &&
        (variant.empty() || variant == row->info.variant))
      return row;
  return nullptr;
}

ImitRounds::ImitRounds(const RoundKeys& round_keys, const BlockKernel& kernel) noexcept : kernel_(&kernel) {
  kernel.prepare(schedule_, &round_keys);
}

ImitRounds::~ImitRounds() { wipe(this, sizeof *this); }

}  // namespace vsh::magma
