// Magma and GOST 28147-89 bit-sliced, 512 blocks in 64 words of 512 bits. bitsliced.hpp has the idea.
// 155 operations a round, 1.2 a byte, and 0.3 for the transposition: 0.76 cycles a byte on ports 0 and 5. llvm-mca on
// GCC 12's code: 97 cycles a round on Ice Lake (0.9 a byte with the transposition), 79 on Sapphire Rapids.
#include "magma/bitsliced.hpp"
#include "simd/avx512.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_avx512 =
    block_row<magma::BitSliced<Avx512, 4100, 11500>, magma::RoundKeys>("magma", "avx512", cpu::Isa::avx512);

}  // namespace vsh
