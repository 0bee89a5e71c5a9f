// Kuznyechik four blocks at a time with GFNI and VBMI: the kernel of two to four chains with a key each and of short
// requests. few_blocks.hpp and rotated_products.hpp have the idea. Lanes: 4, one register. Zen 4, GCC 12: 370 core
// cycles a pass.
#include "kuznyechik/few_blocks.hpp"
#include "kuznyechik/rotated_products.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_quads_avx512_gfni =
    block_row<kuznyechik::FewBlocks<kuznyechik::RotatedProducts, 1, 370>, kuznyechik::RoundKeys>(
        "kuznyechik", "quads_avx512_gfni", cpu::Isa::avx512_gfni);

}  // namespace vsh
