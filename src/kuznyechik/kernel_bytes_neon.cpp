// Kuznyechik byte-sliced by look-ups of 16 entries, 16 blocks in vectors of 16 bytes: for messages that do not fill a
// bit-sliced pass. The idea is in bytesliced.hpp, the cost in nibble_layer.hpp.
#include "kuznyechik/nibble_layer.hpp"
#include "simd/bytes_neon.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

template <Direction d>
using Layer = NibbleLayer<BytesNeon, d>;

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_bytes_neon =
    block_row<kuznyechik::ByteSliced<kuznyechik::Layer, 4500>, kuznyechik::RoundKeys>("kuznyechik", "bytes_neon",
                                                                                      cpu::Isa::neon);

}  // namespace vsh
