// Emulated programs over many streams, with circuits of three-input gates: every operation of every cipher, under
// one S-box set; the others are the business of block_test.
#define VSH_HAS_LUT3 1
#define VSH_GROUP 128
#include "gpu/programs/streams_programs.hpp"
#include "core/operation.hpp"
#include "gpu/kernels/counters.h"

namespace {

vsh::test::EmulatedPrograms all;

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 2
#define VSH_GOST28147 1
#define VSH_OPERATION ecb_encrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION ecb_decrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION cbc_encrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION cbc_decrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION cfb_encrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION cfb_decrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION ofb
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION cnt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION imit
#include "gpu/programs/streams_variant.inc"

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 9
#define VSH_GOST28147 1
#define VSH_OPERATION ecb_encrypt
#include "gpu/programs/streams_variant.inc"
#define VSH_OPERATION cnt
#include "gpu/programs/streams_variant.inc"

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 1
#define VSH_GOST28147 0
#include "gpu/programs/streams_gost3413.inc"

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 0
#define VSH_GOST28147 0
#include "gpu/programs/streams_gost3413.inc"

#include "gpu/programs/keys_variant.inc"

}  // namespace

const vsh::test::EmulatedPrograms& vsh::test::streams_programs() { return all; }
