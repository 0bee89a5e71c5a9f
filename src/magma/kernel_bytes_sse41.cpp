// Magma and GOST 28147-89 byte-sliced, 16 blocks in eight words of 128 bits; any S-boxes cost the same. bytesliced.hpp
// has the idea. Zen 3: 5.1 cycles a byte (GCC 12 and clang 14).
#include "magma/bytesliced.hpp"
#include "simd/sse41.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_sse41 =
    block_row<magma::ByteSliced<Sse41, 640>, magma::RoundKeys>("magma", "bytes_sse41", cpu::Isa::sse41);

}  // namespace vsh
