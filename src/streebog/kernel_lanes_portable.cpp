// lanes.hpp over 64-bit integers, any CPU and byte order: 8 messages. The transposition of 8 x 8 bytes after l takes 72
// instructions a plane, 576 an LPS; S has 1000 and l 700.
#include "simd/groups_portable64.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_portable;

namespace {
using Kernel = streebog::Lanes<Portable64, GroupsPortable64>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_portable = {
    {"streebog", "lanes_portable", cpu::Isa::any, Kernel::kLanes, 20500, true}, Kernel::compress};

}  // namespace vsh
