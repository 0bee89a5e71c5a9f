// The tiles of a slice and which of their pixels are reconstructed.
#pragma once

#include <algorithm>
#include <cmath>

#include "tomography/slices/kernel.hpp"

namespace vsh::tomography {

// Returns the columns [begin, end) of a row of n pixels that are at most n / 2 from the axis.
struct Columns {
  size_t begin, end;
};
inline Columns columns_in_circle(size_t n, size_t row) {
  const double middle = (static_cast<double>(n) - 1) / 2, radius = static_cast<double>(n) / 2;
  const double y = middle - static_cast<double>(row);
  const double half = std::sqrt(radius * radius - y * y);
  const double begin = std::ceil(middle - half), end = std::floor(middle + half) + 1;
  return {static_cast<size_t>(std::max(begin, 0.0)), static_cast<size_t>(std::min(end, static_cast<double>(n)))};
}

inline size_t tiles_a_side(size_t n) { return (n + kTile - 1) / kTile; }

// Returns the pixels of the tile whose first pixel is at this row and column. any: whether there is one.
inline TileRows tile_pixels(size_t n, size_t row, size_t column, bool whole_square, bool& any) {
  TileRows t{};
  const double middle = (static_cast<double>(n) - 1) / 2;
  t.x = static_cast<double>(column) - middle;
  t.y = middle - static_cast<double>(row);
  t.num_rows = std::min(kTile, n - row);
  any = false;
  for (size_t r = 0; r < t.num_rows; ++r) {
    const Columns c = whole_square ? Columns{0, n} : columns_in_circle(n, row + r);
    const size_t begin = std::clamp(c.begin, column, column + kTile), end = std::clamp(c.end, column, column + kTile);
    t.begin[r] = static_cast<uint8_t>(begin - column);
    t.end[r] = static_cast<uint8_t>(std::max(begin, end) - column);
    any = any || begin < end;
  }
  return t;
}

}  // namespace vsh::tomography
