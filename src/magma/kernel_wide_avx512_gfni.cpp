// Magma and GOST 28147-89 by vpermb with a key in each of 128 lanes: a row fills eight registers, so that many chains,
// which cannot take the next row along, cost less than in rows of 64. vpermb.hpp has the idea.
#include "magma/vpermb.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_wide_avx512_gfni =
    block_row<magma::VpermbLanes<128, 1100>, magma::RoundKeys>("magma", "wide_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
