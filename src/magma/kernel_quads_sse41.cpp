// Magma and GOST 28147-89, two to four blocks at a time, under one key or a key each: the kernel of serial_sse41, in
// which four chains take little longer than one, because each is bound by latency. A separate row, so that the ladder
// has their joint cost. Zen 3, GCC 12: 16 core cycles a byte.
#include "magma/one_block_shuffle.hpp"
#include "simd/words32_sse41.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_magma_quads_sse41 =
    block_row<magma::FourBlocksShuffle<Words32Sse41, 490>, magma::RoundKeys>("magma", "quads_sse41", cpu::Isa::sse41);

}  // namespace vsh
