// Magma and GOST 28147-89 bit-sliced, 256 blocks in 64 words of 256 bits. bitsliced.hpp has the idea.
// 312 operations a round, 4.9 a byte, and 0.8 for the transposition: 1.9 cycles a byte on three ports, 1.4 on four; the
// carry chain of a round is 64 cycles of its 104. Zen 3: 1.74 to 1.9 (GCC 12), 1.9 to 2.1 (clang 14); any S-boxes 7.5,
// where bytes_avx2 is better. llvm-mca: 110 cycles a round on Ice Lake, 103 on Zen 3.
#include "magma/bitsliced.hpp"
#include "simd/avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_avx2 =
    block_row<magma::BitSliced<Avx2, 4000, 15500>, magma::RoundKeys>("magma", "avx2", cpu::Isa::avx2);

}  // namespace vsh
