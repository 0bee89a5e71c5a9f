// Kuznyechik four blocks at a time by byte shuffles: the kernel of three or four chains with a key each and of short
// requests. few_blocks.hpp and shifted_products.hpp have the idea. Lanes: 4, two registers.
// Zen 3, GCC 12: 890 core cycles a pass.
#include "kuznyechik/few_blocks.hpp"
#include "kuznyechik/shifted_products.hpp"
#include "simd/bytes_avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_quads_avx2 =
    block_row<kuznyechik::FewBlocks<kuznyechik::ShiftedProducts<BytesAvx2>, 2, 900>, kuznyechik::RoundKeys>(
        "kuznyechik", "quads_avx2", cpu::Isa::avx2);

}  // namespace vsh
