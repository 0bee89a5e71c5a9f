// Magma and GOST 28147-89 bit-sliced, 128 blocks in 64 words of 128 bits.
#include "magma/bitsliced.hpp"
#include "simd/neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_neon =
    block_row<magma::BitSliced<Neon, 5000, 20000>, magma::RoundKeys>("magma", "neon", cpu::Isa::neon);

}  // namespace vsh
