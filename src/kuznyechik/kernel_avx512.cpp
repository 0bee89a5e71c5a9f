// Kuznyechik bit-sliced, 512 blocks in 128 words of 512 bits.
#include "kuznyechik/bitsliced.hpp"
#include "simd/avx512.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_avx512 =
    block_row<kuznyechik::BitSliced<Avx512, 20000>, kuznyechik::RoundKeys>("kuznyechik", "avx512", cpu::Isa::avx512);

}  // namespace vsh
