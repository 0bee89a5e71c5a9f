// Linear maps of bytes in the format of gf2p8affineqb: a 64-bit word holds eight rows, the row for bit 7 of the result
// in its least significant byte; a result bit is the parity of row & argument (Intel's Intrinsics Guide).
#pragma once

#include <cstdint>

namespace vsh {
namespace {

// image(x): the map; called only with single bits.
template <class Image>
constexpr uint64_t affine_matrix(Image image) {
  uint64_t m = 0;
  for (int column = 0; column < 8; ++column) {
    const uint8_t y = image(static_cast<uint8_t>(1 << column));
    for (int bit = 0; bit < 8; ++bit)
      if ((y >> bit) & 1) m |= uint64_t{1} << (8 * (7 - bit) + column);
  }
  return m;
}

}  // namespace
}  // namespace vsh
