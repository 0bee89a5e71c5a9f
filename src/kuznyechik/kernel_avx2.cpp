// Kuznyechik bit-sliced, 256 blocks in 128 words of 256 bits.
#include "kuznyechik/bitsliced.hpp"
#include "simd/avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_avx2 =
    block_row<kuznyechik::BitSliced<Avx2, 22500>, kuznyechik::RoundKeys>("kuznyechik", "avx2", cpu::Isa::avx2);

}  // namespace vsh
