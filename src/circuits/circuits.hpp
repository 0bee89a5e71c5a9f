// The non-linear and linear parts of the ciphers as Boolean logic over bit planes: plane i of a W
// holds bit i of as many bytes (or nibbles) as W has bits. No branch and no address depends on
// data: constant time by construction. The logic itself is generated (tools/circuits) and proved on
// every input by tests/kernels/circuits_test.cpp.
//
// A word type W has
//     operators  &  |  ^  ~
//     static W andnot(W a, W b)                           ~a & b
//     template <int imm> static W ternary(W a, W b, W c)  any function of three bits: bit
//                                                         a*4 + b*2 + c of imm, as in Intel's
//                                                         vpternlog and NVIDIA's LOP3
//     static constexpr bool has_ternary                   whether ternary is one instruction
// and the basis of the circuits follows from has_ternary.
//
// Everything is inlined into the caller and has internal linkage: the same template instantiated in
// files with different -m flags must never meet in the linker.

#pragma once

#include <cstdint>

#include "sbox_tables.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#define VSH_CIRCUIT static __forceinline
#else
#define VSH_CIRCUIT static inline __attribute__((always_inline))
#endif

// The generated files use these; VSH_X, VSH_XB and VSH_Y are set where a file is included.
#define VSH_T W
#define VSH_ANDN(a, b) W::andnot(a, b)
#define VSH_LUT3(imm, a, b, c) W::template ternary<imm>(a, b, c)
#define VSH_BOX(i) if constexpr (Box == (i))

namespace vsh::circuits {

#define VSH_X(i) x[i]
#define VSH_Y(i, value) x[i] = value

// x = pi(x), GOST R 34.12-2015, clause 4.1.1; bit 0 is the least significant.
template <class W>
VSH_CIRCUIT void kuznyechik_sbox(W (&x)[8]) {
  if constexpr (W::has_ternary) {
#include "generated/kuznyechik_pi.lut3.inc"
  } else {
#include "generated/kuznyechik_pi.gates2.inc"
  }
}

// x = pi^-1(x).
template <class W>
VSH_CIRCUIT void kuznyechik_sbox_inverse(W (&x)[8]) {
  if constexpr (W::has_ternary) {
#include "generated/kuznyechik_pi_inverse.lut3.inc"
  } else {
#include "generated/kuznyechik_pi_inverse.gates2.inc"
  }
}

#undef VSH_X
#undef VSH_Y

#define VSH_XB(i, b) z(i, b)
#define VSH_Y(i, value) y[i] = value

// y = l(a_15, …, a_0), GOST R 34.12-2015, clause 4.1.2: the byte that one step R shifts in. z(i, b) returns bit plane b
// of byte a_i, a_0 being the byte that the step shifts out. Each plane is read once or twice, so a load from memory
// suffices. The inverse step is the same function of other bytes: R^-1 shifts the other way and needs l(a_14, …, a_0,
// a_15). y must not alias what z reads: it is written before the last plane is read.
template <class W, class Load>
VSH_CIRCUIT void kuznyechik_lfsr(W (&y)[8], Load z) {
  if constexpr (W::has_ternary) {
#include "generated/kuznyechik_lfsr.lut3.inc"
  } else {
#include "generated/kuznyechik_lfsr.gates2.inc"
  }
}

// pi(x), bit b handed to put(b, value), and y = l(z); put must not write what z reads. The two do not depend on each
// other: an S-box is bound by its gates and depth, a linear step by loads, so words with ternary logic, whose CPUs have
// 32 registers, interleave the gates of both circuits. With 16 registers the spills would cost more than that gains. x
// is destroyed.
#define VSH_X(i) x[i]
#define VSH_U(i, value) put(i, value)
template <class W, class Put, class Load>
VSH_CIRCUIT void kuznyechik_sbox_beside_lfsr(W (&x)[8], Put put, W (&y)[8], Load z) {
  if constexpr (W::has_ternary) {
#include "generated/kuznyechik_pi_beside_lfsr.lut3.inc"
  } else {
    kuznyechik_sbox(x);
    for (int b = 0; b < 8; ++b) put(b, x[b]);
    kuznyechik_lfsr(y, z);
  }
}

// The same with pi^-1.
template <class W, class Put, class Load>
VSH_CIRCUIT void kuznyechik_sbox_inverse_beside_lfsr(W (&x)[8], Put put, W (&y)[8], Load z) {
  if constexpr (W::has_ternary) {
#include "generated/kuznyechik_pi_inverse_beside_lfsr.lut3.inc"
  } else {
    kuznyechik_sbox_inverse(x);
    for (int b = 0; b < 8; ++b) put(b, x[b]);
    kuznyechik_lfsr(y, z);
  }
}

#undef VSH_X
#undef VSH_U
#undef VSH_XB
#undef VSH_Y

#define VSH_X(i) x[i]
#define VSH_Y(i, value) x[i] = value

// Streebog's S-box without its outer linear maps: pi(x) = omega(s(alpha(x))) ^ pi(0), s(0) = 0. A kernel that keeps its
// states in the basis of alpha needs neither alpha nor omega in a round: streebog_l includes both.
template <class W>
VSH_CIRCUIT void streebog_s(W (&x)[8]) {
  if constexpr (W::has_ternary) {
#include "generated/streebog_s.lut3.inc"
  } else {
#include "generated/streebog_s.gates2.inc"
  }
}

// Bit i of alpha(x) is the parity of x & row[i].
struct StreebogAlpha {
  std::uint8_t row[8];
};
template <class W>
constexpr StreebogAlpha streebog_alpha() {
  if constexpr (W::has_ternary) {
    return {{
#include "generated/streebog_alpha.lut3.inc"
    }};
  } else {
    return {{
#include "generated/streebog_alpha.gates2.inc"
    }};
  }
}

#undef VSH_X
#undef VSH_Y

#define VSH_XB(i, b) x(i, b)
#define VSH_Y(i, value) y[i] = value
#define VSH_Z(i) in_memory(y[i])
#define VSH_SLOTS(n) static_assert(n <= kStreebogSlots);
#define VSH_SLOT(k) in_memory(slot[k])
#define VSH_SPILL(k, value) slot[k] = value, in_memory(slot[k])

// Scratch words in memory for streebog_l.
static constexpr int kStreebogSlots = 112;

// Forces the word into memory: the compiler must store it before and load it after.
template <class W>
VSH_CIRCUIT W& in_memory(W& w) {
  __asm__("" : "+m"(w));
  return w;
}

// y = alpha(l(omega(x))), GOST R 34.11-2012, clause 5.4, on a word of 8 bytes: x(i, b) and y[8 * i + b] are bit b of
// byte i, byte 0 the least significant. y must not alias what x reads. Values that do not fit in registers are kept in
// `slot` explicitly, by Belady's rule: compilers otherwise emit half as many loads again.
template <class W, class Load>
VSH_CIRCUIT void streebog_l(W (&y)[64], W* slot, Load x) {
  if constexpr (W::has_ternary) {
#include "generated/streebog_l.lut3.inc"
  } else {
#include "generated/streebog_l.gates2.inc"
  }
}

#undef VSH_XB
#undef VSH_Y
#undef VSH_Z
#undef VSH_SLOTS
#undef VSH_SLOT
#undef VSH_SPILL

#define VSH_X(i) x[(i)&3]
#define VSH_Y(i, value) y[(i)&3] = value

// y = row Box of S-box set S, applied to nibble x (bit 0 the least significant). x and y may be the
// same array.
template <tables::MagmaSbox S, int Box, class W>
VSH_CIRCUIT void magma_sbox(const W (&x)[4], W (&y)[4]) {
  static_assert(0 <= Box && Box < 8);
  using tables::MagmaSbox;
  if constexpr (S == MagmaSbox::tc26_z) {
    if constexpr (W::has_ternary) {
#include "generated/tc26_z.lut3.inc"
    } else {
#include "generated/tc26_z.gates2.inc"
    }
  } else if constexpr (S == MagmaSbox::cryptopro_a) {
    if constexpr (W::has_ternary) {
#include "generated/cryptopro_a.lut3.inc"
    } else {
#include "generated/cryptopro_a.gates2.inc"
    }
  } else if constexpr (S == MagmaSbox::cryptopro_b) {
    if constexpr (W::has_ternary) {
#include "generated/cryptopro_b.lut3.inc"
    } else {
#include "generated/cryptopro_b.gates2.inc"
    }
  } else if constexpr (S == MagmaSbox::cryptopro_c) {
    if constexpr (W::has_ternary) {
#include "generated/cryptopro_c.lut3.inc"
    } else {
#include "generated/cryptopro_c.gates2.inc"
    }
  } else if constexpr (S == MagmaSbox::cryptopro_d) {
    if constexpr (W::has_ternary) {
#include "generated/cryptopro_d.lut3.inc"
    } else {
#include "generated/cryptopro_d.gates2.inc"
    }
  } else if constexpr (S == MagmaSbox::test_28147) {
    if constexpr (W::has_ternary) {
#include "generated/test_28147.lut3.inc"
    } else {
#include "generated/test_28147.gates2.inc"
    }
  } else if constexpr (S == MagmaSbox::test_3411_94) {
    if constexpr (W::has_ternary) {
#include "generated/test_3411_94.lut3.inc"
    } else {
#include "generated/test_3411_94.gates2.inc"
    }
  } else {
    static_assert(S == MagmaSbox::cryptopro_3411_94);
    if constexpr (W::has_ternary) {
#include "generated/cryptopro_3411_94.lut3.inc"
    } else {
#include "generated/cryptopro_3411_94.gates2.inc"
    }
  }
}

#undef VSH_X
#undef VSH_Y
#undef VSH_T
#undef VSH_ANDN
#undef VSH_LUT3
#undef VSH_BOX

}  // namespace vsh::circuits
