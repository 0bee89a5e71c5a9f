// Kuznyechik byte-sliced by look-ups of 16 entries, 32 blocks in vectors of 32 bytes: for messages that do not fill a
// bit-sliced pass. The idea is in bytesliced.hpp, the cost in nibble_layer.hpp.
#include "kuznyechik/nibble_layer.hpp"
#include "simd/bytes_avx2.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
using Layer = NibbleLayer<BytesAvx2, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_bytes_avx2 =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 3900>, kuznyechik::RoundKeys>("kuznyechik", "bytes_avx2",
                                                                                      cpu::Isa::avx2);

}  // namespace vsh
