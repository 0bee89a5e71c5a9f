// Magma and GOST 28147-89 one block at a time, constant time for any S-boxes, by byte shuffles: the kernel of feedback
// modes and short messages. GOST R 34.12-2015 clause 5; the idea is in one_block_shuffle.hpp. Lanes: 1; four blocks
// cost the same. 24 instructions of logic and 8 look-ups a round.
#include "magma/one_block_shuffle.hpp"
#include "simd/words32_neon.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_serial_neon =
    block_row<magma::OneBlockShuffle<Words32Neon, 480>, magma::RoundKeys>("magma", "serial_neon", cpu::Isa::neon);

}  // namespace vsh
