#include "tomography/iterative/iterative.hpp"

#include <algorithm>
#include <cmath>

#include "core/executor.hpp"
#include "tomography/fbp/fbp.hpp"

namespace vsh::tomography {
namespace {

// Calls f(begin, end) over floats on threads: whole bundles.
template <class F>
void elementwise(const Setup& setup, size_t floats, size_t slices, F&& f) {
  for_ranges(floats / slices, 16384 / slices, setup.threads(),
             [&](size_t begin, size_t end) { f(begin * slices, end * slices); });
}

// Returns the sum of squares of each slice. In double over runs of bundles, so that a large image loses nothing.
std::vector<double> squares(const Bundles& data, size_t slices) {
  constexpr size_t kRun = 64;
  std::vector<double> total(slices);
  std::vector<float> sums(slices);
  for (size_t i = 0; i < data.size(); i += kRun * slices) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (size_t k = i; k < std::min(i + kRun * slices, data.size()); k += slices)
      for (size_t s = 0; s < slices; ++s) sums[s] += data.data()[k + s] * data.data()[k + s];
    for (size_t s = 0; s < slices; ++s) total[s] += static_cast<double>(sums[s]);
  }
  return total;
}

// y += factor[slice] * x, or y = x + factor[slice] * y.
void add_scaled(const Setup& setup, Bundles& y, const Bundles& x, const std::vector<float>& factor, bool scale_y) {
  const size_t slices = factor.size();
  elementwise(setup, y.size(), slices, [&](size_t begin, size_t end) {
    float* const to = y.data();
    const float* const from = x.data();
    for (size_t i = begin; i < end; i += slices) {
      for (size_t s = 0; s < slices; ++s)
        to[i + s] = scale_y ? from[i + s] + factor[s] * to[i + s] : to[i + s] + factor[s] * from[i + s];
    }
  });
}

// Returns a / b by slice; 0 where b is 0: that slice is solved.
std::vector<float> ratios(const std::vector<double>& a, const std::vector<double>& b, double sign) {
  std::vector<float> r(a.size());
  for (size_t i = 0; i < a.size(); ++i) r[i] = b[i] > 0 ? static_cast<float>(sign * a[i] / b[i]) : 0.0f;
  return r;
}

// Inverts sums of weights; what no ray or pixel touches stays as it is.
void invert(Bundles& sums) {
  for (size_t i = 0; i < sums.size(); ++i) {
    float& value = sums.data()[i];
    value = value > 1e-4f ? 1 / value : 0.0f;
  }
}

void fill_inside(const Pair& pair, Bundles& image, float value) {
  for (size_t row = 0; row < pair.size(); ++row)
    for (size_t column = 0; column < pair.size(); ++column)
      if (pair.inside(row, column)) std::fill_n(image.data() + pair.pixel(row, column), pair.slices(), value);
}

// Returns the norm of A, and a percent, by the power method; a smooth image is nearly its singular vector already.
// image and rows: to work in.
double norm_of(const Setup& setup, const Pair& pair, Bundles& image, Bundles& rows) {
  const size_t slices = pair.slices();
  double norm = 0;
  fill_inside(pair, image, 1);
  for (int i = 0; i < 12; ++i) {
    const double before = std::sqrt(squares(image, slices)[0]);
    const std::vector<float> scale(slices, before > 0 ? static_cast<float>(1 / before - 1) : 0.0f);
    add_scaled(setup, image, image, scale, false);
    pair.project(rows, image);
    pair.back_project(image, rows);
    norm = std::sqrt(std::sqrt(squares(image, slices)[0]));
  }
  return norm * 1.01;
}

// Adds sigma times the scaled gradient of the image to (dx, dy), and shortens steps longer than the limit; rows
// begin, ..., end - 1. Differences are to the next column and row, 0 at the border.
void add_gradient(const Pair& pair, Bundles& dx, Bundles& dy, const Bundles& image, float sigma, float scale,
                  float limit, size_t begin, size_t end) {
  const size_t n = pair.size(), slices = pair.slices();
  for (size_t row = begin; row < end; ++row) {
    for (size_t column = 0; column < n; ++column) {
      const size_t here = pair.pixel(row, column);
      const size_t right = column + 1 < n ? pair.pixel(row, column + 1) : here;
      const size_t below = row + 1 < n ? pair.pixel(row + 1, column) : here;
      const float* const u = image.data();
      for (size_t s = 0; s < slices; ++s) {
        const float gx = dx.data()[here + s] + sigma * scale * (u[right + s] - u[here + s]);
        const float gy = dy.data()[here + s] + sigma * scale * (u[below + s] - u[here + s]);
        const float length = std::sqrt(gx * gx + gy * gy);
        const float factor = length > limit ? limit / length : 1;
        dx.data()[here + s] = gx * factor;
        dy.data()[here + s] = gy * factor;
      }
    }
  }
}

// Steps x down by tau times `step` and the transpose of the differences in (dx, dy); ahead: twice the new x minus the
// old one. Rows begin, ..., end - 1.
void descend(const Pair& pair, Bundles& x, Bundles& ahead, const Bundles& step, const Bundles& dx, const Bundles& dy,
             float tau, float scale, bool nonnegative, size_t begin, size_t end) {
  const size_t n = pair.size(), slices = pair.slices();
  for (size_t row = begin; row < end; ++row) {
    for (size_t column = 0; column < n; ++column) {
      if (!pair.inside(row, column)) continue;
      const size_t here = pair.pixel(row, column);
      // Differences across the border are 0.
      const size_t left = column > 0 ? pair.pixel(row, column - 1) : here;
      const size_t above = row > 0 ? pair.pixel(row - 1, column) : here;
      const float with_left = column > 0 ? 1 : 0, with_above = row > 0 ? 1 : 0;
      for (size_t s = 0; s < slices; ++s) {
        const float down = with_left * dx.data()[left + s] - dx.data()[here + s] + with_above * dy.data()[above + s] -
                           dy.data()[here + s];
        const float old = x.data()[here + s];
        float next = old - tau * (step.data()[here + s] + scale * down);
        if (nonnegative) next = std::max(next, 0.0f);
        x.data()[here + s] = next;
        ahead.data()[here + s] = 2 * next - old;
      }
    }
  }
}

}  // namespace

// Gilbert, J. Theor. Biol. 36, 1972: x += lambda C A^T R (b - A x), R and C inverse sums of rows and columns of A.
void Iterative::sirt(const Pair& pair, Bundles& x, Bundles& b, const Progress& progress) const {
  const size_t iterations = setup_.options.iterations ? setup_.options.iterations : 100;
  const float lambda = static_cast<float>(setup_.options.relaxation);
  const bool nonnegative = setup_.options.nonnegative != 0;
  Bundles step(pair.tiles_floats()), residual(pair.rows_floats());
  // Sums are the same for all slices, but bundles of them are as quick as single numbers.
  Bundles columns(pair.tiles_floats()), rows(pair.rows_floats());
  fill_inside(pair, step, 1);
  pair.project(rows, step);
  std::fill_n(residual.data(), residual.size(), 1.0f);
  pair.clear_guards(residual);
  pair.back_project(columns, residual);
  invert(rows);
  invert(columns);
  for (size_t i = 0; i < iterations; ++i) {
    pair.project(residual, x);
    elementwise(setup_, b.size(), pair.slices(), [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) residual.data()[k] = (b.data()[k] - residual.data()[k]) * rows.data()[k];
    });
    pair.back_project(step, residual);
    elementwise(setup_, x.size(), pair.slices(), [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        const float value = x.data()[k] + lambda * columns.data()[k] * step.data()[k];
        x.data()[k] = nonnegative ? std::max(value, 0.0f) : value;
      }
    });
    progress(static_cast<double>(i + 1) / static_cast<double>(iterations));
  }
}

// Hestenes and Stiefel 1952 on the normal equations; b becomes the residual.
void Iterative::cgls(const Pair& pair, Bundles& x, Bundles& b, const Progress& progress) const {
  const size_t iterations = setup_.options.iterations ? setup_.options.iterations : 20;
  const size_t slices = pair.slices();
  Bundles gradient(pair.tiles_floats()), direction(pair.tiles_floats()), image(pair.rows_floats());
  pair.back_project(gradient, b);
  std::copy_n(gradient.data(), gradient.size(), direction.data());
  std::vector<double> now = squares(gradient, slices);
  for (size_t i = 0; i < iterations; ++i) {
    pair.project(image, direction);
    const std::vector<double> length = squares(image, slices);
    add_scaled(setup_, x, direction, ratios(now, length, 1), false);
    add_scaled(setup_, b, image, ratios(now, length, -1), false);
    pair.back_project(gradient, b);
    const std::vector<double> next = squares(gradient, slices);
    add_scaled(setup_, direction, gradient, ratios(next, now, 1), true);
    now = next;
    progress(static_cast<double>(i + 1) / static_cast<double>(iterations));
  }
}

// Sidky, Jorgensen and Pan, Phys. Med. Biol. 57, 2012, algorithm 5, with the gradient scaled to the size of A: both
// have the norm |A| then, and together sqrt(2) |A|.
void Iterative::tv(const Pair& pair, Bundles& x, Bundles& b, const Progress& progress) const {
  const size_t iterations = setup_.options.iterations ? setup_.options.iterations : 200;
  Bundles ahead(pair.tiles_floats()), step(pair.tiles_floats()), dual(pair.rows_floats()), image(pair.rows_floats());
  Bundles dx(pair.tiles_floats()), dy(pair.tiles_floats());
  const double norm = norm_of(setup_, pair, step, image);
  if (!(norm > 0)) return;
  const float scale = static_cast<float>(norm / std::sqrt(8.0));  // of the gradient
  const float sigma = static_cast<float>(1 / (std::sqrt(2.0) * norm)), tau = sigma;
  const float limit = static_cast<float>(setup_.options.tv_weight * static_cast<double>(setup_.angles.size())) / scale;
  for (size_t i = 0; i < iterations; ++i) {
    pair.project(image, ahead);
    elementwise(setup_, dual.size(), pair.slices(), [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k)
        dual.data()[k] = (dual.data()[k] + sigma * (image.data()[k] - b.data()[k])) / (1 + sigma);
    });
    for_ranges(pair.size(), kTile, setup_.threads(),
               [&](size_t begin, size_t end) { add_gradient(pair, dx, dy, ahead, sigma, scale, limit, begin, end); });
    pair.back_project(step, dual);
    for_ranges(pair.size(), kTile, setup_.threads(), [&](size_t begin, size_t end) {
      descend(pair, x, ahead, step, dx, dy, tau, scale, setup_.options.nonnegative != 0, begin, end);
    });
    progress(static_cast<double>(i + 1) / static_cast<double>(iterations));
  }
}

void Iterative::run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const {
  for (size_t first = 0; first < num_slices; first += batch()) {
    const size_t count = std::min(batch(), num_slices - first);
    const Progress here = progress.part(static_cast<double>(first) / static_cast<double>(num_slices),
                                        static_cast<double>(first + count) / static_cast<double>(num_slices));
    const Pair pair(setup_, vectors_for(*setup_.kernel, count));
    Bundles x(pair.tiles_floats()), b(pair.rows_floats());
    pair.load_rows(b, projections, first, count);
    switch (setup_.options.algorithm) {
      case VSH_TOMO_SIRT: sirt(pair, x, b, here); break;
      case VSH_TOMO_CGLS: cgls(pair, x, b, here); break;
      default: tv(pair, x, b, here);
    }
    pair.store_tiles(volume + first * setup_.size * setup_.size, x, count);
  }
}

uint64_t Iterative::memory(size_t num_slices) const {
  const Pair pair(setup_, vectors_for(*setup_.kernel, num_slices));
  const bool tv = setup_.options.algorithm == VSH_TOMO_TV;
  return sizeof(float) * (uint64_t{pair.tiles_floats()} * (tv ? 5 : 3) + uint64_t{pair.rows_floats()} * 3);
}

}  // namespace vsh::tomography
