// lanes.hpp over 128-bit words: 16 messages. Counts as in kernel_lanes_avx2.cpp for half the messages.
// 21.8 core cycles a byte with GCC 12 on Zen 3.
#include "simd/groups_sse41.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_sse41;

namespace {
using Kernel = streebog::Lanes<Sse41, GroupsSse41>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_sse41 = {
    {"streebog", "lanes_sse41", cpu::Isa::sse41, Kernel::kLanes, 22300, true}, Kernel::compress};

}  // namespace vsh
