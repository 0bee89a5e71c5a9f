// x86 intrinsics for AVX-512 and GFNI: the compiler's, or in the preset `emulated` functions that emulate them on any
// x86-64 with AVX2 (SIMDe), so that every machine checks these kernels. Shipped builds never use them.
#pragma once

#if VSH_EMULATED
#include "simd/emulated.hpp"
#define VSH_ANY_REGISTER "m"  // inline assembly: an emulated vector has no register
#define VSH_MASK_REGISTER "r"
#else
// GCC 12 warns of its own _mm512_undefined_epi32() (bug 105593), so AVX-512 intrinsics come through this header.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#define VSH_ANY_REGISTER "v"
#define VSH_MASK_REGISTER "Yk"
#endif
