// SPDX-License-Identifier: Apache-2.0
#include "simd/groups_portable64.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_portable;

namespace {
using Kernel = streebog::Lanes<Portable64, GroupsPortable64>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_portable = {
    {"streebog", "lanes_portable", cpu::Isa::any, Kernel::kLanes, 16000, true}, Kernel::compress};

}  // namespace vsh
