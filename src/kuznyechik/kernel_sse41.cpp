// Kuznyechik bit-sliced, 128 blocks in 128 words of 128 bits.
#include "kuznyechik/bitsliced.hpp"
#include "simd/sse41.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_sse41 =
    block_row<kuznyechik::BitSliced<Sse41, 19000>, kuznyechik::RoundKeys>("kuznyechik", "sse41", cpu::Isa::sse41);

}  // namespace vsh
