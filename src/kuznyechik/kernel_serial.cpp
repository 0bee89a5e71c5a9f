// Kuznyechik one block at a time, constant time, on general registers: the kernel of feedback modes and short messages
// where no faster one-block kernel exists. GOST R 34.12-2015 clause 4; the idea is in one_block.hpp.
// Lanes: 1. A round is about 270 operations for S and 600 for L; bound by their number (about 4 a cycle).
#include "kuznyechik/one_block.hpp"

namespace vsh {

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial =
    block_row<kuznyechik::OneBlock<kuznyechik::OneBlockWords, 3100>, kuznyechik::RoundKeys>("kuznyechik", "serial",
                                                                                            cpu::Isa::any);

}  // namespace vsh
