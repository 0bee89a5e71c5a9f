// SPDX-License-Identifier: Apache-2.0
#include "simd/groups_avx2.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_avx2;

namespace {
using Kernel = streebog::Lanes<Avx2, GroupsAvx2>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_avx2 = {
    {"streebog", "lanes_avx2", cpu::Isa::avx2, Kernel::kLanes, 16000, true}, Kernel::compress};

}  // namespace vsh
