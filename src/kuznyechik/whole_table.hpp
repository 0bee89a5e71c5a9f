// S of byte-sliced Kuznyechik by look-ups of 256 bytes (VBMI), in the basis of the standard.
#pragma once

#include "circuits/sbox_tables.hpp"
#include "kuznyechik/affine_layer.hpp"
#include "simd/bytes_avx512_gfni.hpp"

namespace vsh::kuznyechik {
namespace {

template <Direction d>
struct WholeTable {
  static constexpr LinearMap kBasis = kIdentity;

  VSH_INLINE_MEMBER static BytesAvx512Gfni substitute(BytesAvx512Gfni x) {
    return BytesAvx512Gfni::look_up_256(d == Direction::encrypt ? tables::kKuznyechikPi : tables::kKuznyechikPiInverse,
                                        x);
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
