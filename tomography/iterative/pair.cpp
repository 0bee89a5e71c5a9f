#include "tomography/iterative/pair.hpp"

#include <algorithm>
#include <cmath>

#include "core/executor.hpp"
#include "tomography/geometry/tiles.hpp"

namespace vsh::tomography {

Pair::Pair(const Setup& setup, size_t vectors)
    : setup_(setup),
      vectors_(vectors),
      slices_(vectors * setup.kernel->info.lanes),
      pitch_((setup.bins + 2 * kGuard) * slices_),
      side_(tiles_a_side(setup.size)) {
  for (const double theta : setup.angles) angles_.push_back({std::cos(theta), std::sin(theta), setup.centre});
  for (size_t t = 0; t < side_ * side_; ++t) {
    bool any;
    tiles_.push_back(
        tile_pixels(setup.size, t / side_ * kTile, t % side_ * kTile, setup.options.whole_square != 0, any));
  }
}

void Pair::project(Bundles& rows, const Bundles& image) const {
  rows.clear();
  for_ranges(angles_.size(), 8, setup_.threads(), [&](size_t begin, size_t end) {
    for (size_t t = 0; t < tiles_.size(); ++t)
      setup_.kernel->project(rows.data() + begin * pitch_, pitch_, setup_.bins,
                             image.data() + t * kTile * kTile * slices_, tiles_[t], angles_.data() + begin, end - begin,
                             vectors_);
  });
  clear_guards(rows);
}

void Pair::clear_guards(Bundles& rows) const {
  for (size_t a = 0; a < angles_.size(); ++a) {
    float* const row = rows.data() + a * pitch_;
    std::fill_n(row, kGuard * slices_, 0.0f);
    std::fill_n(row + (kGuard + setup_.bins) * slices_, kGuard * slices_, 0.0f);
  }
}

void Pair::back_project(Bundles& image, const Bundles& rows) const {
  for_ranges(tiles_.size(), 1, setup_.threads(), [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) {
      float* const tile = image.data() + t * kTile * kTile * slices_;
      std::fill_n(tile, kTile * kTile * slices_, 0.0f);
      setup_.kernel->back_project(tile, tiles_[t], rows.data(), pitch_, setup_.bins, angles_.data(), angles_.size(),
                                  vectors_, Interpolation::joseph);
    }
  });
}

void Pair::load_rows(Bundles& rows, Projections projections, size_t first, size_t count) const {
  std::vector<const float*> in(count);
  for (size_t a = 0; a < angles_.size(); ++a) {
    for (size_t s = 0; s < count; ++s) in[s] = projections.row(a, first + s, setup_.bins);
    setup_.kernel->interleave(rows.data() + a * pitch_ + kGuard * slices_, in.data(), setup_.bins, slices_, count);
  }
}

void Pair::store_row(float* out, const Bundles& rows, size_t angle, size_t count) const {
  std::vector<float*> to(count);
  for (size_t s = 0; s < count; ++s) to[s] = out + s * setup_.bins;
  setup_.kernel->deinterleave(to.data(), rows.data() + angle * pitch_ + kGuard * slices_, setup_.bins, slices_, count);
}

template <class F>
void Pair::for_tiles(F&& f) const {
  for (size_t t = 0; t < tiles_.size(); ++t)
    for (size_t r = 0; r < tiles_[t].num_rows; ++r)
      f((t * kTile + r) * kTile * slices_, t / side_ * kTile + r, t % side_ * kTile,
        std::min(kTile, setup_.size - t % side_ * kTile));
}

void Pair::load_tiles(Bundles& image, const float* volume, size_t count) const {
  std::vector<const float*> in(count);
  for_tiles([&](size_t place, size_t row, size_t column, size_t num) {
    for (size_t s = 0; s < count; ++s) in[s] = volume + (s * setup_.size + row) * setup_.size + column;
    setup_.kernel->interleave(image.data() + place, in.data(), num, slices_, count);
  });
}

void Pair::store_tiles(float* volume, const Bundles& image, size_t count) const {
  std::vector<float*> out(count);
  for_tiles([&](size_t place, size_t row, size_t column, size_t num) {
    for (size_t s = 0; s < count; ++s) out[s] = volume + (s * setup_.size + row) * setup_.size + column;
    setup_.kernel->deinterleave(out.data(), image.data() + place, num, slices_, count);
  });
}

bool Pair::inside(size_t row, size_t column) const {
  const TileRows& t = tiles_[row / kTile * side_ + column / kTile];
  return column % kTile >= t.begin[row % kTile] && column % kTile < t.end[row % kTile];
}

}  // namespace vsh::tomography
