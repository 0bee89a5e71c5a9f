// rows.hpp over 16-byte vectors, a row of both chains in a register. A round is 168 pshufb and 24 more
// shuffles - 192 cycles where only port 5 shuffles - and 144 XORs; eight sums and one term take nine
// registers, the indices of a row come from memory. Nothing newer than SSE4.1 (pmovzxbw; the rest is SSSE3).
// 32 core cycles a byte with GCC 12 and Clang 14 on an Emerald Rapids Xeon, 34 with GCC 12 on an AMD EPYC (Zen 3),
// 16 KiB message.
#include "simd/bytes_sse41.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_sse41;

constinit const HashKernel vsh_kernel_streebog_sse41 =
    streebog::hash_row<streebog::Rows<BytesSse41>>("sse41", cpu::Isa::sse41, 2100);

}  // namespace vsh
