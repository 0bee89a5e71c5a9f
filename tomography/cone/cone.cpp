#include "tomography/cone/cone.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tomography/geometry/parallel.hpp"
#include "tomography/geometry/tiles.hpp"

namespace vsh::tomography {
namespace {

using std::numbers::pi;

constexpr size_t kPixels = 16;  // of a row of the image, done together

}  // namespace

double parker_weight(double beta, double gamma, double delta) {
  const auto wave = [](double x) {
    const double s = std::sin(pi / 4 * x);
    return s * s;
  };
  if (beta < 0 || beta > pi + 2 * delta) return 0;
  if (beta < 2 * delta - 2 * gamma) return wave(beta / (delta - gamma));
  if (beta <= pi - 2 * gamma) return 1;
  return wave((pi + 2 * delta - beta) / (delta + gamma));
}

Cone::Cone(const Setup& setup)
    : setup_(setup), trajectory_(trajectory_of(setup.angles, setup.displaced)), filter_(setup) {
  const double radius = setup.source_distance;
  const double half = static_cast<double>(setup.size) / 2 * (setup.options.whole_square ? std::numbers::sqrt2 : 1);
  if (!(half < radius)) throw GeometryError();
  if (trajectory_.full) return;
  const double seen = std::atan(std::max(setup.centre, static_cast<double>(setup.bins) - 1 - setup.centre) / radius);
  delta_ = (trajectory_.range() - pi) / 2;
  const double step = trajectory_.range() / static_cast<double>(trajectory_.views.size());
  if (delta_ < std::min(std::asin(half / radius), std::max(seen, 0.0)) - step) throw GeometryError();
  delta_ = std::max(delta_, 1e-9);
}

// columns[view][bin][row], with guards around rows and bins.
void Cone::filter(float* columns, Projections projections, const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t m = setup_.bins, each = 2 * kernel.info.lanes;
  const double radius = setup_.source_distance;
  in_parallel(trajectory_.views.size(), setup_.threads(), progress, [&](size_t begin, size_t end, const auto& step) {
    Buffer scratch(filter_.scratch());
    std::vector<float> weighted(each * m), parker(m, 1);
    std::vector<const float*> in(each);
    for (size_t i = 0; i < each; ++i) in[i] = weighted.data() + i * m;
    for (size_t view = begin; view < end; ++view) {
      float* const out = columns + view * (m + 2) * column();
      std::fill_n(out, (m + 2) * column(), 0.0f);
      const double share = trajectory_.steps[view] * (trajectory_.full ? 0.5 : 1);
      if (!trajectory_.full) {
        const double beta = trajectory_.angles[view] - trajectory_.angles[0] + trajectory_.steps[0] / 2;
        for (size_t k = 0; k < m; ++k) {
          const double gamma = std::atan((static_cast<double>(k) - setup_.centre) / radius);
          parker[k] = static_cast<float>(parker_weight(beta, std::clamp(-gamma, -delta_, delta_), delta_));
        }
      }
      for (size_t first = 0; first < setup_.rows; first += each) {
        const size_t count = std::min(each, setup_.rows - first);
        for (size_t i = 0; i < count; ++i) {
          const double v = static_cast<double>(first + i) - setup_.source_row;
          const float* const row = projections.row(trajectory_.views[view], first + i, m);
          for (size_t k = 0; k < m; ++k) {
            const double s = static_cast<double>(k) - setup_.centre;
            weighted[i * m + k] =
                row[k] * parker[k] * static_cast<float>(radius / std::sqrt(radius * radius + s * s + v * v));
          }
        }
        const float* const filtered = filter_.run(scratch.data(), in.data(), count, static_cast<float>(share));
        for (size_t k = 0; k < m; ++k)
          std::copy_n(filtered + k * each, count, out + (k + 1) * column() + kGuard + first);
      }
      step();
    }
  });
}

void Cone::run(float* volume, Projections projections, size_t, const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t n = setup_.size, m = setup_.bins, depth = setup_.depth, view_floats = (m + 2) * column();
  const double radius = setup_.source_distance, middle = (static_cast<double>(n) - 1) / 2;
  // The slice that is level with the source: slices are as far apart as rows, the middle of both at one height.
  const double source_slice = setup_.source_row + (static_cast<double>(depth) - static_cast<double>(setup_.rows)) / 2;
  Buffer columns(trajectory_.views.size() * view_floats);
  filter(columns.data(), projections, progress.part(0, 0.1));
  in_parallel(n, setup_.threads(), progress.part(0.1, 1), [&](size_t begin, size_t end, const auto& step) {
    Buffer sums(kPixels * depth), mixed(column());
    for (size_t j = begin; j < end; ++j) {
      const Columns inside = setup_.options.whole_square ? Columns{0, n} : columns_in_circle(n, j);
      const double y = middle - static_cast<double>(j);
      for (size_t first = 0; first < n; first += kPixels) {
        const size_t num = std::min(kPixels, n - first);
        sums.clear();
        for (size_t view = 0; view < trajectory_.views.size(); ++view) {
          const double c = std::cos(trajectory_.angles[view]), s = std::sin(trajectory_.angles[view]);
          for (size_t i = std::max(first, inside.begin); i < std::min(first + num, inside.end); ++i) {
            const double x = static_cast<double>(i) - middle;
            const double u = (radius - x * s + y * c) / radius;
            const double bin = (x * c + y * s) / u + setup_.centre + 1;  // of the columns with their guard
            if (!(bin >= 0 && bin < static_cast<double>(m) + 1)) continue;
            const size_t whole = static_cast<size_t>(bin);
            const float f = static_cast<float>(bin - static_cast<double>(whole));
            const float* const left = columns.data() + view * view_floats + whole * column();
            const float weight = static_cast<float>(1 / (u * u));
            kernel.cone_column(sums.data() + (i - first) * depth, depth, left, left + column(), (1 - f) * weight,
                               f * weight, mixed.data(), setup_.rows, setup_.source_row - source_slice / u, 1 / u);
          }
        }
        for (size_t z = 0; z < depth; ++z) {
          float* const out = volume + (z * n + j) * n + first;
          for (size_t i = 0; i < num; ++i) out[i] = sums.data()[i * depth + z];
        }
      }
      step();
    }
  });
}

uint64_t Cone::memory(size_t) const {
  const uint64_t thread = filter_.scratch() + 2 * setup_.kernel->info.lanes * setup_.bins + kPixels * setup_.depth;
  return sizeof(float) *
         (uint64_t{trajectory_.views.size()} * (setup_.bins + 2) * column() + thread * threads_used(setup_.threads()));
}

}  // namespace vsh::tomography
