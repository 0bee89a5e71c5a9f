// Magma and GOST 28147-89 by vpermb, eight registers of 16 blocks each, any S-boxes at the same cost; vpermb.hpp has
// the idea. AVX-512VBMI. Bound by ports 0 and 5. Measured on Zen 4: 1.25 cycles a byte.
#include "magma/vpermb.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_avx512_gfni =
    block_row<magma::VpermbLanes<64, 560>, magma::RoundKeys>("magma", "bytes_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
