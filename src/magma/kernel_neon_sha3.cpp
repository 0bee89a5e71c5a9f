// Magma and GOST 28147-89 bit-sliced as in kernel_neon.cpp, with the SHA3 extension of ARMv8.2: compilers make EOR3 of
// two XORs and BCAX of a ^ (b & ~c).
#include "magma/bitsliced.hpp"
#include "simd/neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_neon_sha3 =
    block_row<magma::BitSliced<Neon, 4600, 19000>, magma::RoundKeys>("magma", "neon_sha3", cpu::Isa::neon_sha3);

}  // namespace vsh
