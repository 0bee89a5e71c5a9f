// Lists the kernels of this build and chooses among those that the CPU can run.
#pragma once

#include <span>
#include <string_view>

#include "tomography/slices/costs.hpp"

namespace vsh::tomography {

// Returns the rows of this build in the order of kernels.def.
std::span<const SliceKernel* const> slice_kernels() noexcept;

struct SliceChoice {
  Choice status = Choice::ok;
  const SliceKernel* row = nullptr;
};
// forced: a variant's name, or empty; then VERSHINA_TOMOGRAPHY_KERNEL counts, else default_slice_kernel by the measured
// costs.
SliceChoice choose_slice_kernel(std::string_view forced, Method method) noexcept;
// Returns the row of the least cost; without costs the first one that the CPU can run, or null.
const SliceKernel* default_slice_kernel(Method method, const SliceCosts* costs) noexcept;

}  // namespace vsh::tomography
