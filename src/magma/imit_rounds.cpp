#include "magma/imit_rounds.hpp"

#include "core/wipe.hpp"

namespace vsh::magma {

ImitRounds::KernelChoice ImitRounds::choose_kernel(std::string_view variant, bool allow_tables) noexcept {
  Choice status = Choice::unknown;
  for (const BlockKernel* row : block_kernels(Algorithm::gost28147)) {
    if (!row->imit || row->schedule_size > kMaxSchedule || row->info.lanes != 1) continue;
    if (!variant.empty() && variant != row->info.variant) continue;
    status = permission(row->info, allow_tables);
    if (status == Choice::ok) return {status, row};
  }
  return {status, nullptr};
}

ImitRounds::ImitRounds(const RoundKeys& round_keys, const BlockKernel& kernel) noexcept
    : kernel_(&kernel), round_keys_(round_keys) {
  kernel.prepare(schedule_, &round_keys_);
}

void ImitRounds::change_key(const uint8_t* key) noexcept {
  magma::change_key(round_keys_, key);
  kernel_->prepare(schedule_, &round_keys_);
}

ImitRounds::~ImitRounds() { wipe(this, sizeof *this); }

}  // namespace vsh::magma
