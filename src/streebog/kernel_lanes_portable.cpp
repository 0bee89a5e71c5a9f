// SPDX-License-Identifier: Apache-2.0
//
// Many messages, one after the other, by the portable row.
#include "core/kernel.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_portable;
extern const HashLanesKernel vsh_kernel_streebog_lanes_portable;

namespace {

constexpr uint32_t kLanes = 8;

void compress(uint8_t* const* h, const uint8_t* const* n, const uint8_t* const* m) {
  for (uint32_t i = 0; i < kLanes; ++i) vsh_kernel_streebog_portable.compress(h[i], n[i], m[i]);
}

}  // namespace

constinit const HashLanesKernel vsh_kernel_streebog_lanes_portable = {
    {"streebog", "lanes_portable", cpu::Isa::any, kLanes, 61000, true}, compress};

}  // namespace vsh
