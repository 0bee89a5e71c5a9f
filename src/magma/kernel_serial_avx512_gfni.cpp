// Magma and GOST 28147-89 one block at a time by vpermb: the kernel of feedback modes and short messages; up to 16
// blocks cost as much as one. vpermb.hpp has the idea. AVX-512VBMI. Bound by the chain of 8 cycles a round.
#include "magma/vpermb.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_serial_avx512_gfni =
    block_row<magma::Vpermb<1, 280>, magma::RoundKeys>("magma", "serial_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
