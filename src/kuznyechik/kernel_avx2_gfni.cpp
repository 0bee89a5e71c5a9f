// Kuznyechik byte-sliced for AVX2 and GFNI, 32 blocks in 16 vectors of 32 bytes; the idea is in bytesliced.hpp.
// S: 18 or 17 instructions a byte (nibble_sbox.hpp); L: 7 gf2p8affineqb and 16 XORs, in the basis that suits S
// (affine_layer.hpp). A round is about 650 instructions for 32 blocks; their number binds.
#include "kuznyechik/affine_layer.hpp"
#include "kuznyechik/nibble_sbox.hpp"
#include "simd/bytes_avx2_gfni.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
struct NibblesOf {
  static constexpr LinearMap kBasis = NibbleSbox<d>::kBasis;

  VSH_INLINE_MEMBER static BytesAvx2Gfni substitute(BytesAvx2Gfni x) {
    using V = BytesAvx2Gfni;
    return NibbleSbox<d>::template substitute<V>(x & V::splat(15), V::high_nibbles(x));
  }
};

template <Direction d>
using Layer = AffineLayer<BytesAvx2Gfni, NibblesOf, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_avx2_gfni =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 2200>, kuznyechik::RoundKeys>("kuznyechik", "avx2_gfni",
                                                                                      cpu::Isa::avx2_gfni);

}  // namespace vsh
