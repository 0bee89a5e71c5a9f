// Kuznyechik sixteen blocks at a time with GFNI and VBMI: the kernel of 9 to 32 chains with a key each and of short
// requests. few_blocks.hpp and rotated_products.hpp have the idea. Lanes: 16, four registers. Zen 4, GCC 12: 875 core
// cycles a pass.
#include "kuznyechik/few_blocks.hpp"
#include "kuznyechik/rotated_products.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_sixteens_avx512_gfni =
    block_row<kuznyechik::FewBlocks<kuznyechik::RotatedProducts, 4, 875>, kuznyechik::RoundKeys>(
        "kuznyechik", "sixteens_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
