#include "tomography/slices/registry.hpp"

#include <iterator>

#include "core/user_cache.hpp"

namespace vsh::tomography {

#define VSH_SLICE_KERNEL(family, variant, isa) extern const SliceKernel vsh_kernel_##family##_##variant;
#include "slices_built.def"

namespace {

constexpr const SliceKernel* kRows[] = {
#define VSH_SLICE_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#include "slices_built.def"
};

}  // namespace

std::span<const SliceKernel* const> slice_kernels() noexcept { return kRows; }

static_assert(std::size(kRows) <= kMaxRows);

const SliceKernel* default_slice_kernel(Method method, const SliceCosts* costs) noexcept {
  const auto cost_of = [&](size_t i) { return costs ? costs->of[i][static_cast<size_t>(method)] : 0; };
  size_t best = std::size(kRows);
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (runnable(kRows[i]->info) && (best == std::size(kRows) || cost_of(i) < cost_of(best))) best = i;
  return best < std::size(kRows) ? kRows[best] : nullptr;
}

SliceChoice choose_slice_kernel(std::string_view forced, Method method) noexcept {
  SliceChoice choice;
  if (forced.empty()) forced = environment("VERSHINA_TOMOGRAPHY_KERNEL");
  if (!forced.empty()) {
    choice.status = find_forced(slice_kernels(), forced, false, choice.row);
    return choice;
  }
  choice.row = default_slice_kernel(method, measured());
  if (!choice.row) choice.status = Choice::unknown;
  return choice;
}

}  // namespace vsh::tomography
