// Kuznyechik bit-sliced, 64 blocks in 128 words of 64 bits.
#include "kuznyechik/bitsliced.hpp"
#include "simd/portable64.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_portable =
    block_row<kuznyechik::BitSliced<Portable64, 15600>, kuznyechik::RoundKeys>("kuznyechik", "portable", cpu::Isa::any);

}  // namespace vsh
