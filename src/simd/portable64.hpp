// Bit-sliced word of 64 lanes in an ordinary 64-bit register: any CPU, either byte order.
#pragma once

#include "core/bytes.hpp"

namespace vsh {
namespace {

struct Portable64 {
  uint64_t v;

  static constexpr size_t kBytes = 8;
  static constexpr bool has_ternary = false;

  VSH_INLINE_MEMBER static Portable64 load(const uint8_t* p) { return {load_le64(p)}; }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Portable64 a) { store_le64(p, a.v); }
  // Broadcasts a mask that is 0 or ~0 to all lanes.
  VSH_INLINE_MEMBER static Portable64 splat_mask(const uint32_t* m) {
    return {static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(*m)))};
  }
  VSH_INLINE_MEMBER static Portable64 zero() { return {0}; }

  VSH_INLINE_MEMBER friend Portable64 operator&(Portable64 a, Portable64 b) { return {a.v & b.v}; }
  VSH_INLINE_MEMBER friend Portable64 operator|(Portable64 a, Portable64 b) { return {a.v | b.v}; }
  VSH_INLINE_MEMBER friend Portable64 operator^(Portable64 a, Portable64 b) { return {a.v ^ b.v}; }
  VSH_INLINE_MEMBER friend Portable64 operator~(Portable64 a) { return {~a.v}; }
  VSH_INLINE_MEMBER static Portable64 andnot(Portable64 a, Portable64 b) { return {~a.v & b.v}; }

  // Swaps the bits of a whose position has bit `s` (a power of two) set with the bits of b that have it clear.
  template <int s>
  VSH_INLINE_MEMBER static void exchange(Portable64& a, Portable64& b) {
    constexpr uint64_t m = ~uint64_t{0} / ((uint64_t{1} << s) + 1);  // s ones, s zeros, s ones, ...
    const uint64_t t = ((a.v >> s) ^ b.v) & m;
    b.v ^= t;
    a.v ^= t << s;
  }

  // r[i] byte j <-> r[j] byte i.
  VSH_INLINE_MEMBER static void transpose_bytes(Portable64 (&r)[8]) {
    for (int i = 0; i < 8; i += 2) exchange<8>(r[i], r[i + 1]);
    for (int i = 0; i < 8; ++i)
      if (!(i & 2)) exchange<16>(r[i], r[i + 2]);
    for (int i = 0; i < 4; ++i) exchange<32>(r[i], r[i + 4]);
  }
};

}  // namespace
}  // namespace vsh
