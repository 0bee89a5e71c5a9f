// rows.hpp over 64-byte vectors, four rows of both chains in a register, without GFNI and VBMI. A round is 42
// vpshufb and 4 more shuffles (port 5: 46 cycles) and 42 other vector instructions (port 0). About 20 cycles
// more are the latency from the last product of a round to the first index of the next, which one message cannot fill.
// 13.1 to 13.8 core cycles a byte with GCC 12 and Clang 14 on an Emerald Rapids Xeon, 16 KiB message.
#include "simd/bytes_avx512.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx512;

constinit const HashKernel vsh_kernel_streebog_avx512 =
    streebog::hash_row<streebog::Rows<BytesAvx512>>("avx512", cpu::Isa::avx512, 860);

}  // namespace vsh
