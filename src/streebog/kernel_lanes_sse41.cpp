// SPDX-License-Identifier: Apache-2.0
#include "simd/groups_sse41.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_sse41;

namespace {
using Kernel = streebog::Lanes<Sse41, GroupsSse41>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_sse41 = {
    {"streebog", "lanes_sse41", cpu::Isa::sse41, Kernel::kLanes, 16000, true}, Kernel::compress};

}  // namespace vsh
