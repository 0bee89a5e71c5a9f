// Magma and GOST 28147-89 bit-sliced, 64 blocks in 64 words of 64 bits. bitsliced.hpp has the idea.
// Zen 3, GCC 12: 8.0 cycles a byte.
#include "magma/bitsliced.hpp"
#include "simd/portable64.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_portable =
    block_row<magma::BitSliced<Portable64, 4100, 18000>, magma::RoundKeys>("magma", "portable", cpu::Isa::scalar);

}  // namespace vsh
