// Kuznyechik bit-sliced as in kernel_neon.cpp, with the SHA3 extension of ARMv8.2: compilers make EOR3 of two XORs and
// BCAX of a ^ (b & ~c), which saves a third of the logic.
#include "kuznyechik/bitsliced.hpp"
#include "simd/neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_neon_sha3 =
    block_row<kuznyechik::BitSliced<Neon, 15000>, kuznyechik::RoundKeys>("kuznyechik", "neon_sha3",
                                                                         cpu::Isa::neon_sha3);

}  // namespace vsh
