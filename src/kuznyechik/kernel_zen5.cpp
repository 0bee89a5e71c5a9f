// Kuznyechik byte-sliced as in kernel_avx512_gfni.cpp, with a shorter chain in L, for Zen 5: four instructions of 512
// bits start in a cycle there, of which two may be look-ups or products, and an XOR takes 2 cycles, a product 3, a
// look-up 5. A round is 336 instructions, 176 of them look-ups, products and masks: 88 cycles. The 16 steps of L take
// at least 80, S another 8, and cannot overlap as a whole (registers); measured 112 to 116
// (programs/bench/notes/kuznyechik-bytes.md).
#include "kuznyechik/whole_table.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
using Layer = ShortChainLayer<BytesAvx512Gfni, WholeTable, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_zen5 =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 1080>, kuznyechik::RoundKeys>("kuznyechik", "zen5",
                                                                                      cpu::Isa::zen5);

}  // namespace vsh
