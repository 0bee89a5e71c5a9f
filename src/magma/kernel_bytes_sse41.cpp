// Magma and GOST 28147-89 byte-sliced, 16 blocks in eight words of 128 bits, any S-boxes at the same cost; the idea is in
// bytesliced.hpp.
#include "magma/bytesliced.hpp"
#include "simd/sse41.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_sse41 =
    block_row<magma::ByteSliced<Sse41, 800>, magma::RoundKeys>("magma", "bytes_sse41", cpu::Isa::sse41);

}  // namespace vsh
