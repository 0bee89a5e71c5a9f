// lanes.hpp over 128-bit words: 16 messages, 32 registers. Counts as in kernel_lanes_avx2.cpp for half the messages.
#include "simd/groups_neon.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_neon;

namespace {
using Kernel = streebog::Lanes<Neon, GroupsNeon>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_neon = {
    {"streebog", "lanes_neon", cpu::Isa::neon, Kernel::kLanes, 22300, true}, Kernel::compress};

}  // namespace vsh
