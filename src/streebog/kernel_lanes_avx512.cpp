// lanes.hpp over 512-bit words with ternary logic: 64 messages. An LPS of all of them is 8 x 78 instructions for S, 455
// for l and 192 shuffles, which only port 5 does; the other two share ports 0 and 5: 3.9 cycles a byte without spills.
// llvm-mca: see programs/bench/notes/streebog-lanes.md.
#include "simd/groups_avx512.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_avx512;

namespace {
using Kernel = streebog::Lanes<Avx512, GroupsAvx512>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_avx512 = {
    {"streebog", "lanes_avx512", cpu::Isa::avx512, Kernel::kLanes, 22000, true}, Kernel::compress};

}  // namespace vsh
