// Kuznyechik byte-sliced for GFNI and VBMI, 64 blocks in 16 registers of 64 bytes; the idea is in bytesliced.hpp.
// S: vpermi2b over two halves of the table, 4 instructions a byte; L: 7 gf2p8affineqb and 8 vpternlog
// (affine_layer.hpp). A round is 304 vector instructions: 152 cycles where two of 512 bits start in one, as on Zen 4
// (1.34 cycles a byte without the transposition; measured there 2.0, of which L 1.48:
// programs/bench/notes/kuznyechik-bytes.md). On Intel's CPUs vpermi2b is three micro-operations: 368 a round on two
// ports, 184 cycles.
#include "kuznyechik/whole_table.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
using Layer = AffineLayer<BytesAvx512Gfni, WholeTable, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_avx512_gfni =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 1750>, kuznyechik::RoundKeys>("kuznyechik", "avx512_gfni",
                                                                                      cpu::Isa::avx512_gfni);

}  // namespace vsh
