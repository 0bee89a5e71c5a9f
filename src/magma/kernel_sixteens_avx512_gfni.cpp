// Magma and GOST 28147-89 sixteen blocks at a time by vpermb: the kernel of 2 to 16 chains with a key each. vpermb.hpp
// has the idea. Lanes: 16, one register. AVX-512VBMI. Bound by the chain of a round: 8 cycles, 11 on Zen 4.
#include "magma/vpermb.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_sixteens_avx512_gfni =
    block_row<magma::VpermbLanes<16, 480>, magma::RoundKeys>("magma", "sixteens_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
