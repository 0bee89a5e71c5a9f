// Magma and GOST 28147-89 one block at a time, constant time for any S-boxes, by byte shuffles: the kernel of feedback
// modes and short messages. GOST R 34.12-2015 clause 5; the idea is in one_block_shuffle.hpp. Lanes: 1; four blocks
// cost the same. A chain of 9 cycles and 8 shuffles on port 5 a round.
#include "magma/one_block_shuffle.hpp"
#include "simd/words32_avx512.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_serial_avx512 =
    block_row<magma::OneBlockShuffle<Words32Avx512, 400>, magma::RoundKeys>("magma", "serial_avx512", cpu::Isa::avx512);

}  // namespace vsh
