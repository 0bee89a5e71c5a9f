// Magma and GOST 28147-89 bit-sliced, 256 blocks in 64 words of 256 bits.
#include "magma/bitsliced.hpp"
#include "simd/avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_avx2 =
    block_row<magma::BitSliced<Avx2, 4900>, magma::RoundKeys>("magma", "avx2", cpu::Isa::avx2);

}  // namespace vsh
