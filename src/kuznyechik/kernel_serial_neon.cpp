// Kuznyechik one block at a time, constant time, over 16-byte vectors: the kernel of feedback modes and short messages.
// GOST R 34.12-2015 clause 4; the idea and its cost are in shifted_products.hpp. Lanes: 1.
#include "kuznyechik/one_block_bytes.hpp"
#include "kuznyechik/shifted_products.hpp"
#include "simd/bytes_neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial_neon =
    block_row<kuznyechik::OneBlock<kuznyechik::OneBlockBytes<kuznyechik::ShiftedProducts<BytesNeon>>, 950>,
              kuznyechik::RoundKeys>("kuznyechik", "serial_neon", cpu::Isa::neon);

}  // namespace vsh
