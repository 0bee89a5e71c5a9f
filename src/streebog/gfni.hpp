// SPDX-License-Identifier: Apache-2.0
//
// Matrices as gf2p8affineqb takes them: a 64-bit word holds eight rows, the row that makes bit 7 of the result
// in its least significant byte; a result bit is the parity of row & argument (Intel's Intrinsics Guide).
#pragma once

#include <cstdint>

#include "streebog/constants.hpp"

namespace vsh::streebog {
namespace {

// The matrix of a linear map of bytes.
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
}  // namespace vsh::streebog
