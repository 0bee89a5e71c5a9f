#include "tomography/fbp/fbp.hpp"

#include <algorithm>
#include <atomic>

#include "core/executor.hpp"
#include "tomography/geometry/parallel.hpp"
#include "tomography/geometry/tiles.hpp"

namespace vsh::tomography {

size_t vectors_for(const SliceKernel& kernel, size_t num_slices) {
  return num_slices > 2 * kernel.info.lanes ? 4 : num_slices > kernel.info.lanes ? 2 : 1;
}

void back_project_slices(const Setup& setup, float* volume, const float* rows, size_t vectors, size_t num_slices,
                         Interpolation interpolation, const Progress& progress) {
  const SliceKernel& kernel = *setup.kernel;
  const size_t n = setup.size, slices = vectors * kernel.info.lanes;
  const size_t pitch = (setup.bins + 2 * kGuard) * slices;
  std::vector<TileAngle> angles;
  for (const double theta : setup.angles) angles.push_back({std::cos(theta), std::sin(theta), setup.centre});
  const size_t side = tiles_a_side(n);
  in_parallel(side * side, setup.threads(), progress, [&](size_t begin, size_t end, const auto& step) {
    Buffer tile(kTile * kTile * slices);
    std::vector<float*> out(num_slices);
    for (size_t t = begin; t < end; ++t) {
      const size_t row = t / side * kTile, column = t % side * kTile;
      bool any;
      const TileRows pixels = tile_pixels(n, row, column, setup.options.whole_square != 0, any);
      tile.clear();
      if (any)
        kernel.back_project(tile.data(), pixels, rows, pitch, setup.bins, angles.data(), angles.size(), vectors,
                            interpolation);
      for (size_t r = 0; r < pixels.num_rows; ++r) {
        for (size_t s = 0; s < num_slices; ++s) out[s] = volume + (s * n + row + r) * n + column;
        kernel.deinterleave(out.data(), tile.data() + r * kTile * slices, std::min(kTile, n - column), slices,
                            num_slices);
      }
      step();
    }
  });
}

void Fbp::run_one(float* slice, Projections projections, size_t row, const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t n = setup_.size, m = setup_.bins, num = setup_.angles.size(), each = 2 * kernel.info.lanes;
  const size_t pitch = m + 2 * kGuard;
  Buffer rows(num * pitch + kSlack);
  rows.clear();
  // The rows of neighbouring angles are side by side in the filter.
  const auto work = [&](size_t begin, size_t end, const auto& step) {
    Buffer scratch(filter_.scratch());
    std::vector<const float*> in(each);
    std::vector<float*> out(each);
    for (size_t b = begin; b < end; ++b) {
      const size_t first = b * each, count = std::min(each, num - first);
      for (size_t i = 0; i < count; ++i) {
        in[i] = projections.row(first + i, row, m);
        out[i] = rows.data() + (first + i) * pitch + kGuard;
      }
      kernel.deinterleave(out.data(), filter_.run(scratch.data(), in.data(), count, 1), m, each, count);
      for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < m; ++k) out[i][k] *= static_cast<float>(setup_.weights[first + i]);
      step();
    }
  };
  in_parallel((num + each - 1) / each, setup_.threads(), progress.part(0, 0.2), work);
  std::vector<TileAngle> angles;
  for (const double theta : setup_.angles) angles.push_back({std::cos(theta), std::sin(theta), setup_.centre});
  const size_t side = tiles_a_side(n);
  in_parallel(side * side, setup_.threads(), progress.part(0.2, 1), [&](size_t begin, size_t end, const auto& step) {
    Buffer tile(kTile * kTile);
    for (size_t t = begin; t < end; ++t) {
      const size_t top = t / side * kTile, left = t % side * kTile;
      bool any;
      const TileRows pixels = tile_pixels(n, top, left, setup_.options.whole_square != 0, any);
      tile.clear();
      if (any) kernel.back_project_one(tile.data(), pixels, rows.data(), pitch, m, angles.data(), angles.size());
      for (size_t r = 0; r < pixels.num_rows; ++r)
        std::copy_n(tile.data() + r * kTile, std::min(kTile, n - left), slice + (top + r) * n + left);
      step();
    }
  });
}

void Fbp::run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t n = setup_.size, lanes = kernel.info.lanes;
  const Interpolation interpolation =
      setup_.options.interpolation == VSH_TOMO_CUBIC ? Interpolation::cubic : Interpolation::linear;
  if (num_slices <= lanes / 4 && interpolation == Interpolation::linear) {
    for (size_t s = 0; s < num_slices; ++s)
      run_one(volume + s * n * n, projections, s,
              progress.part(static_cast<double>(s) / static_cast<double>(num_slices),
                            static_cast<double>(s + 1) / static_cast<double>(num_slices)));
    return;
  }
  const size_t widest = vectors_for(kernel, num_slices) * lanes;
  Buffer rows(setup_.angles.size() * (setup_.bins + 2 * kGuard) * widest);
  for (size_t first = 0; first < num_slices; first += 4 * lanes) {
    const size_t count = std::min(4 * lanes, num_slices - first);
    const size_t vectors = vectors_for(kernel, count), slices = vectors * lanes;
    const size_t pitch = (setup_.bins + 2 * kGuard) * slices;
    const Progress here = progress.part(static_cast<double>(first) / static_cast<double>(num_slices),
                                        static_cast<double>(first + count) / static_cast<double>(num_slices));
    const auto work = [&](size_t begin, size_t end, const auto& step) {
      Buffer scratch(filter_.scratch());
      std::vector<const float*> in(2 * lanes);
      for (size_t a = begin; a < end; ++a) {
        float* const row = rows.data() + a * pitch;
        std::fill_n(row, kGuard * slices, 0.0f);
        std::fill_n(row + (kGuard + setup_.bins) * slices, kGuard * slices, 0.0f);
        for (size_t s = 0; s < slices; s += 2 * lanes) {
          const size_t here_slices = std::min(2 * lanes, count - std::min(count, s));
          for (size_t i = 0; i < here_slices; ++i) in[i] = projections.row(a, first + s + i, setup_.bins);
          const float* const filtered =
              filter_.run(scratch.data(), in.data(), here_slices, static_cast<float>(setup_.weights[a]));
          const size_t copied = std::min(2 * lanes, slices);
          for (size_t k = 0; k < setup_.bins; ++k)
            std::copy_n(filtered + k * 2 * lanes, copied, row + (kGuard + k) * slices + s);
        }
        step();
      }
    };
    in_parallel(setup_.angles.size(), setup_.threads(), here.part(0, 0.1), work);
    back_project_slices(setup_, volume + first * n * n, rows.data(), vectors, count, interpolation, here.part(0.1, 1));
  }
}

uint64_t Fbp::memory(size_t num_slices) const {
  const size_t slices = vectors_for(*setup_.kernel, num_slices) * setup_.kernel->info.lanes;
  const uint64_t rows = uint64_t{setup_.angles.size()} * (setup_.bins + 2 * kGuard) * slices;
  const uint64_t thread = filter_.scratch() + kTile * kTile * slices;
  return sizeof(float) * (rows + thread * threads_used(setup_.threads()));
}

}  // namespace vsh::tomography
