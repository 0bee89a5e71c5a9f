// The program mgm for both sizes of blocks, and messages in ECB of both ciphers, for the emulated device.
#define VSH_HAS_LUT3 1
#define VSH_GROUP 128
#include "gpu/programs/packets_programs.hpp"
#include "core/operation.hpp"
#include "gpu/kernels/counters.h"

namespace {

vsh::test::EmulatedPrograms all;

#define VSH_SBOX 1
#define VSH_GOST28147 0
#define VSH_OPERATION ecb_encrypt
#include "gpu/programs/streams_variant.inc"
#undef VSH_SBOX
#define VSH_SBOX 0
#define VSH_OPERATION ecb_encrypt
#include "gpu/programs/streams_variant.inc"

#include "gpu/programs/keys_variant.inc"

#define VSH_MGM \
  { VSH_ENTRY(make_counters), VSH_ENTRY(absorb), VSH_ENTRY(reduce) }
#undef VSH_BLOCKS_H
namespace mgm_4 {
#include "gpu/kernels/mgm.c"
const auto added = all.insert({{"mgm", "-DVSH_WORDS=4"}, vsh::test::EmulatedKernels VSH_MGM});
}  // namespace mgm_4
#undef VSH_WORDS
#undef VSH_LEAVES
#undef VSH_HOLES
#undef VSH_BLOCKS_H
#undef VSH_PRODUCTS_H
#define VSH_WORDS 2
namespace mgm_2 {
#include "gpu/kernels/mgm.c"
const auto added = all.insert({{"mgm", "-DVSH_WORDS=2"}, vsh::test::EmulatedKernels VSH_MGM});
}  // namespace mgm_2

}  // namespace

const vsh::test::EmulatedPrograms& vsh::test::packets_programs() { return all; }
