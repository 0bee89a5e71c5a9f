// Magma and GOST 28147-89 byte-sliced, 32 blocks in eight words of 256 bits, any S-boxes at the same cost; the idea is in
// bytesliced.hpp.
#include "magma/bytesliced.hpp"
#include "simd/avx2.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_avx2 =
    block_row<magma::ByteSliced<Avx2, 800>, magma::RoundKeys>("magma", "bytes_avx2", cpu::Isa::avx2);

}  // namespace vsh
