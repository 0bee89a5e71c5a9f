// Emulated programs over many streams, with circuits of three-input gates: every work of every cipher, under one S-box
// set; the others are tested in block_test.
#define VSH_HAS_LUT3 1
#define VSH_GROUP 128
#include "gpu/programs/streams_programs.hpp"
#include "gpu/kernels/counters.h"

namespace {

vsh::test::EmulatedPrograms all;

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 2
#define VSH_GOST28147 1
#define VSH_WORK 0
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 1
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 2
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 3
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 4
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 5
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 6
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 8
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 10
#include "gpu/programs/streams_variant.inc"

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 9
#define VSH_GOST28147 1
#define VSH_WORK 0
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 8
#include "gpu/programs/streams_variant.inc"

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 1
#define VSH_GOST28147 0
#define VSH_WORK 0
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 1
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 2
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 3
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 4
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 5
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 6
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 7
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 9
#include "gpu/programs/streams_variant.inc"

#undef VSH_SBOX
#undef VSH_GOST28147
#define VSH_SBOX 0
#define VSH_GOST28147 0
#define VSH_WORK 0
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 1
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 2
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 3
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 4
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 5
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 6
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 7
#include "gpu/programs/streams_variant.inc"
#define VSH_WORK 9
#include "gpu/programs/streams_variant.inc"

#include "gpu/programs/keys_variant.inc"

}  // namespace

const vsh::test::EmulatedPrograms& vsh::test::streams_programs() { return all; }
