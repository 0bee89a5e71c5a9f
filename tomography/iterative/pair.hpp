// A projector and its exact transpose on bundles: images in tiles, rows with guards.
#pragma once

#include <vector>

#include "tomography/geometry/buffer.hpp"
#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

// A buffer that begins with zeros.
class Bundles : public Buffer {
 public:
  explicit Bundles(size_t floats) : Buffer(floats) { clear(); }
};

class Pair {
 public:
  Pair(const Setup& setup, size_t vectors);

  size_t slices() const { return slices_; }
  size_t tiles_floats() const { return side_ * side_ * kTile * kTile * slices_; }
  size_t rows_floats() const { return setup_.angles.size() * pitch_; }

  // rows = A image; the guards become 0.
  void project(Bundles& rows, const Bundles& image) const;
  // image = A^T rows; pixels outside of the circle become 0.
  void back_project(Bundles& image, const Bundles& rows) const;

  void clear_guards(Bundles& rows) const;
  void load_rows(Bundles& rows, Projections projections, size_t first, size_t count) const;
  void store_row(float* out, const Bundles& rows, size_t angle, size_t count) const;
  void load_tiles(Bundles& image, const float* volume, size_t count) const;
  void store_tiles(float* volume, const Bundles& image, size_t count) const;

  // Returns where the bundle of a pixel is.
  size_t pixel(size_t row, size_t column) const {
    return (((row / kTile * side_ + column / kTile) * kTile + row % kTile) * kTile + column % kTile) * slices_;
  }
  size_t size() const { return setup_.size; }
  bool inside(size_t row, size_t column) const;

 private:
  template <class F>
  void for_tiles(F&& f) const;

  const Setup& setup_;
  size_t vectors_, slices_, pitch_, side_;
  std::vector<TileAngle> angles_;
  std::vector<TileRows> tiles_;
};

}  // namespace vsh::tomography
