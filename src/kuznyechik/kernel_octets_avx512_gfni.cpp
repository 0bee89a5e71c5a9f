// Kuznyechik eight blocks at a time with GFNI and VBMI: the kernel of five to eight chains with a key each and of short
// requests. few_blocks.hpp and rotated_products.hpp have the idea. Lanes: 8, two registers. Zen 4, GCC 12: 505 core
// cycles a pass.
#include "kuznyechik/few_blocks.hpp"
#include "kuznyechik/rotated_products.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_octets_avx512_gfni =
    block_row<kuznyechik::FewBlocks<kuznyechik::RotatedProducts, 2, 505>, kuznyechik::RoundKeys>(
        "kuznyechik", "octets_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
