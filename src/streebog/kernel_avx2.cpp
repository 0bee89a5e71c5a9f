// rows.hpp over 32-byte vectors, two rows of both chains in a register. A round is 84 vpshufb and 12 more
// shuffles - 96 cycles where only port 5 shuffles (Haswell to Cascade Lake), 50 where ports 1 and 5 do (Ice
// Lake and later) - and 208 vector instructions in all, three a cycle. Four sums, four terms and what fits of
// the tables share the 16 registers.
// Core cycles a byte, 16 KiB message: 17.8 with GCC 12 and Clang 14 on an Emerald Rapids Xeon; 16.9 with GCC 12,
// 16.4 with Clang 14 on an AMD EPYC (Zen 3).
#include "simd/bytes_avx2.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx2;

constinit const HashKernel vsh_kernel_streebog_avx2 =
    streebog::hash_row<streebog::Rows<BytesAvx2>>("avx2", cpu::Isa::avx2, 1080);

}  // namespace vsh
