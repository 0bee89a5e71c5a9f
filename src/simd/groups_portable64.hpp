// The eight bytes of a 64-bit word as its groups.
#pragma once

#include "simd/portable64.hpp"

namespace vsh {
namespace {

struct GroupsPortable64 {
  // Byte g of eight, all zeros or all ones, in group g.
  VSH_INLINE_MEMBER static Portable64 spread(const uint8_t* p) { return Portable64::load(p); }

  // r[i] group g <-> r[g] group i.
  VSH_INLINE_MEMBER static void transpose(Portable64 (&r)[8]) { Portable64::transpose_bytes(r); }

  // The rows of one message: r[i] is row i. load(0, at): 8 bytes of the message.
  template <class Load>
  VSH_INLINE_MEMBER static void load_rows(Portable64 (&r)[8], Load load) {
    for (int i = 0; i < 8; ++i) r[i] = load(0, size_t{8} * i);
  }
  // The inverse; store(0, at, 8 bytes).
  template <class Store>
  VSH_INLINE_MEMBER static void store_rows(const Portable64 (&r)[8], Store store) {
    for (int i = 0; i < 8; ++i) store(0, size_t{8} * i, r[i]);
  }
};

}  // namespace
}  // namespace vsh
