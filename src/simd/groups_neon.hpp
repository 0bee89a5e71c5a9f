// The eight 16-bit groups of an Advanced SIMD word.
#pragma once

#include "simd/neon.hpp"

namespace vsh {
namespace {

struct GroupsNeon {
  // Byte g of eight, all zeros or all ones, in group g.
  VSH_INLINE_MEMBER static Neon spread(const uint8_t* p) {
    return {vreinterpretq_u8_s16(vmovl_s8(vreinterpret_s8_u8(vld1_u8(p))))};
  }

  // r[i] group g <-> r[g] group i. Interleaving r[i] with r[i + 4] rotates the index (register, group) left by one.
  VSH_INLINE_MEMBER static void transpose(Neon (&r)[8]) {
    Neon t[8];
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) {
        const uint16x8_t a = vreinterpretq_u16_u8(r[i].v), b = vreinterpretq_u16_u8(r[i + 4].v);
        t[2 * i].v = vreinterpretq_u8_u16(vzip1q_u16(a, b));
        t[2 * i + 1].v = vreinterpretq_u8_u16(vzip2q_u16(a, b));
      }
      for (int i = 0; i < 8; ++i) r[i] = t[i];
    }
  }

  // The rows of two messages: r[i] byte 2 j + q is byte j of row i of message q. load(q, at): 16 bytes of message q.
  template <class Load>
  VSH_INLINE_MEMBER static void load_rows(Neon (&r)[8], Load load) {
    for (int i = 0; i < 8; i += 2) {
      const Neon a = load(0, size_t{8} * i), b = load(1, size_t{8} * i);
      r[i] = Neon::zip_low(a, b);
      r[i + 1] = Neon::zip_high(a, b);
    }
  }
  // The inverse; store(q, at, 16 bytes).
  template <class Store>
  VSH_INLINE_MEMBER static void store_rows(const Neon (&r)[8], Store store) {
    for (int i = 0; i < 8; i += 2) {
      store(0, size_t{8} * i, Neon{vuzp1q_u8(r[i].v, r[i + 1].v)});
      store(1, size_t{8} * i, Neon{vuzp2q_u8(r[i].v, r[i + 1].v)});
    }
  }
};

}  // namespace
}  // namespace vsh
