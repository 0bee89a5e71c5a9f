// lanes.hpp over 256-bit words: 32 messages. An LPS of all of them is 8 x 126 logic instructions for S, 699 XORs for l
// and 192 shuffles; l's 500 loads (two a cycle) and 300 stores (one a cycle) limit it as much as its XORs.
// 10.6 core cycles a byte with GCC 12, 10.8 with Clang 14 on Zen 3 (EPYC 7xx3).
#include "simd/groups_avx2.hpp"
#include "streebog/lanes.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_avx2;

namespace {
using Kernel = streebog::Lanes<Avx2, GroupsAvx2>;
}

constinit const HashLanesKernel vsh_kernel_streebog_lanes_avx2 = {
    {"streebog", "lanes_avx2", cpu::Isa::avx2, Kernel::kLanes, 21700, true}, Kernel::compress};

}  // namespace vsh
