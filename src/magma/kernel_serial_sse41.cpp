// Magma and GOST 28147-89 one block at a time, constant time for any S-boxes, by byte shuffles: the kernel of feedback
// modes and short messages. GOST R 34.12-2015 clause 5; the idea is in one_block_shuffle.hpp. Lanes: 1; four blocks
// cost the same. Zen 3, GCC 12: 58 core cycles a byte, 14 a round.
#include "magma/one_block_shuffle.hpp"
#include "simd/words32_sse41.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_serial_sse41 =
    block_row<magma::OneBlockShuffle<Words32Sse41, 460>, magma::RoundKeys>("magma", "serial_sse41", cpu::Isa::sse41);

}  // namespace vsh
