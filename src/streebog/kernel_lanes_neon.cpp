// SPDX-License-Identifier: Apache-2.0
#include "simd/groups_neon.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_neon;

namespace {
using Kernel = streebog::Lanes<Neon, GroupsNeon>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_neon = {
    {"streebog", "lanes_neon", cpu::Isa::neon, Kernel::kLanes, 16000, true}, Kernel::compress};

}  // namespace vsh
