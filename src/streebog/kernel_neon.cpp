// rows.hpp over the 16-byte vectors of Advanced SIMD, a row of both chains in a register. A round is 168 tbl
// and 24 zip, 144 XORs and 80 other instructions; eight sums, the indices of a row and the tables of S fit into
// the 32 registers.
// Bound: 104 cycles a round, 21 a byte, with four vector pipes. Correct under qemu; not measured, no such
// machine.
#include "simd/bytes_neon.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_neon;

constinit const HashKernel vsh_kernel_streebog_neon =
    streebog::hash_row<streebog::Rows<BytesNeon>>("neon", cpu::Isa::neon, 2100);

}  // namespace vsh
