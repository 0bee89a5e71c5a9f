// Kuznyechik byte-sliced for GFNI and VBMI, 64 blocks in 16 registers of 64 bytes; the idea is in bytesliced.hpp.
// S: vpermb over four quarters of the table, 7 instructions a byte; L: 7 gf2p8affineqb and 8 vpternlog
// (affine_layer.hpp). A round is 352 vector instructions on two ports, 176 cycles; llvm-mca 19 sees 179 (GCC 12) and
// 169 to 177 (Clang 14) on Ice Lake, 186 to 201 on Sapphire Rapids, 170 to 177 on Zen 4: 1.6 to 1.8 cycles a byte
// without the transposition. Measured on Zen 4: 2.31 (docs/speed.md).
#include "circuits/sbox_tables.hpp"
#include "kuznyechik/affine_layer.hpp"
#include "simd/bytes_avx512_gfni.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
struct WholeTable {
  static constexpr LinearMap kBasis = kIdentity;

  VSH_INLINE_MEMBER static BytesAvx512Gfni substitute(BytesAvx512Gfni x) {
    return BytesAvx512Gfni::look_up_256(d == Direction::encrypt ? tables::kKuznyechikPi : tables::kKuznyechikPiInverse,
                                        x);
  }
};

template <Direction d>
using Layer = AffineLayer<BytesAvx512Gfni, WholeTable, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_avx512_gfni =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 1750>, kuznyechik::RoundKeys>("kuznyechik", "avx512_gfni",
                                                                                      cpu::Isa::avx512_gfni);

}  // namespace vsh
