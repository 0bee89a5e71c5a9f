// Magma and GOST 28147-89 byte-sliced, 16 blocks in eight words of 128 bits, any S-boxes at the same cost; the idea is in
// bytesliced.hpp.
#include "magma/bytesliced.hpp"
#include "simd/neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_neon =
    block_row<magma::ByteSliced<Neon, 900>, magma::RoundKeys>("magma", "bytes_neon", cpu::Isa::neon);

}  // namespace vsh
