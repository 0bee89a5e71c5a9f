// Kuznyechik one block at a time, constant time, in both lanes of 32-byte vectors: the kernel of feedback modes and
// short messages. GOST R 34.12-2015 clause 4; the idea and its cost are in halved_products.hpp. Lanes: 1.
#include "kuznyechik/halved_products.hpp"
#include "kuznyechik/one_block_bytes.hpp"
#include "simd/bytes_avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial_avx2 =
    block_row<kuznyechik::OneBlock<kuznyechik::OneBlockBytes<kuznyechik::HalvedProducts<BytesAvx2>>, 640>,
              kuznyechik::RoundKeys>("kuznyechik", "serial_avx2", cpu::Isa::avx2);

}  // namespace vsh
