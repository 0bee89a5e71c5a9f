// Magma and GOST 28147-89 bit-sliced, 512 blocks in 64 words of 512 bits.
#include "magma/bitsliced.hpp"
#include "simd/avx512.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_avx512 =
    block_row<magma::BitSliced<Avx512, 4600>, magma::RoundKeys>("magma", "avx512", cpu::Isa::avx512);

}  // namespace vsh
