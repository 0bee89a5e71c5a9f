// Magma and GOST 28147-89 bit-sliced, 128 blocks in 64 words of 128 bits.
#include "magma/bitsliced.hpp"
#include "simd/sse41.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_sse41 =
    block_row<magma::BitSliced<Sse41, 5000>, magma::RoundKeys>("magma", "sse41", cpu::Isa::sse41);

}  // namespace vsh
