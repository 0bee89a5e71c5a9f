// Kuznyechik byte-sliced by look-ups of 16 entries, 64 blocks in vectors of 64 bytes: for messages that do not fill a
// bit-sliced pass. The idea is in bytesliced.hpp, the cost in nibble_layer.hpp.
#include "kuznyechik/nibble_layer.hpp"
#include "simd/bytes_avx512.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
using Layer = NibbleLayer<BytesAvx512, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_bytes_avx512 =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 4700>, kuznyechik::RoundKeys>("kuznyechik", "bytes_avx512",
                                                                                      cpu::Isa::avx512);

}  // namespace vsh
