// Kuznyechik bit-sliced, 128 blocks in 128 words of 128 bits.
#include "kuznyechik/bitsliced.hpp"
#include "simd/neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_neon =
    block_row<kuznyechik::BitSliced<Neon, 19000>, kuznyechik::RoundKeys>("kuznyechik", "neon", cpu::Isa::neon);

}  // namespace vsh
