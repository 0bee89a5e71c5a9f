#include "tomography/slices/registry.hpp"

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

SliceChoice choose_slice_kernel(std::string_view forced) noexcept {
  SliceChoice choice;
  if (forced.empty()) forced = environment("VERSHINA_TOMOGRAPHY_KERNEL");
  if (!forced.empty()) {
    choice.status = find_forced(slice_kernels(), forced, false, choice.row);
    return choice;
  }
  for (const SliceKernel* row : kRows) {
    if (!runnable(row->info)) continue;
    choice.row = row;
    return choice;
  }
  choice.status = Choice::unknown;
  return choice;
}

}  // namespace vsh::tomography
