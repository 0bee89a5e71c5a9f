// Kuznyechik byte-sliced for AVX2 and GFNI, 32 blocks in 16 vectors of 32 bytes; the idea is in bytesliced.hpp.
// S: 18 or 17 instructions a byte (nibble_sbox.hpp); L: 7 gf2p8affineqb and 16 XORs, in the basis that suits S
// (affine_layer.hpp). A round is 656 instructions for 32 blocks, 219 cycles on three ports.
// llvm-mca 19 sees 225 (Clang 14) and 335 (GCC 12, which reorders XORs) on Alder Lake: 4.0 and 5.9 cycles a byte.
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
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 2600>, kuznyechik::RoundKeys>("kuznyechik", "avx2_gfni",
                                                                                      cpu::Isa::avx2_gfni);

}  // namespace vsh
