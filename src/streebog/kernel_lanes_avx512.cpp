// SPDX-License-Identifier: Apache-2.0
#include "simd/groups_avx512.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_avx512;

namespace {
using Kernel = streebog::Lanes<Avx512, GroupsAvx512>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_avx512 = {
    {"streebog", "lanes_avx512", cpu::Isa::avx512, Kernel::kLanes, 16000, true}, Kernel::compress};

}  // namespace vsh
