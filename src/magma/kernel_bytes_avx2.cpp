// Magma and GOST 28147-89 byte-sliced, 32 blocks in eight words of 256 bits; any S-boxes cost the same. bytesliced.hpp
// has the idea. Zen 3: 3.2 cycles a byte (GCC 12), 2.5 (clang 14); floor of three ports 2.2.
#include "magma/bytesliced.hpp"
#include "simd/avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_avx2 =
    block_row<magma::ByteSliced<Avx2, 800>, magma::RoundKeys>("magma", "bytes_avx2", cpu::Isa::avx2);

}  // namespace vsh
