// Magma and GOST 28147-89 byte-sliced, 16 blocks in eight words of 128 bits; any S-boxes cost the same. bytesliced.hpp
// has the idea. 48 instructions of logic and look-up a round, 12 a byte.
#include "magma/bytesliced.hpp"
#include "simd/neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_bytes_neon =
    block_row<magma::ByteSliced<Neon, 900>, magma::RoundKeys>("magma", "bytes_neon", cpu::Isa::neon);

}  // namespace vsh
