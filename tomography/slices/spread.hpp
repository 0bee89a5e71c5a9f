// Gridding with slices in the lanes: place and weights of a sample are computed once for all slices, and a cell is two
// vectors. Bound by stores: 32 of vectors a sample.
#pragma once

#include "tomography/slices/kernel.hpp"
#include "tomography/slices/vector.hpp"

namespace vsh::tomography {
namespace {

template <class S>
void turn(float* out, const float* in, const float* factors, size_t num) {
  for (size_t k = 0; k < num; ++k, in += 2 * S::kLanes, out += 2 * S::kLanes) {
    const auto re = S::load(in), im = S::load(in + S::kLanes);
    const float c = factors[2 * k], s = factors[2 * k + 1];
    S::store(out, re * c - im * s);
    S::store(out + S::kLanes, re * s + im * c);
  }
}

template <class S>
void spread(float* band, size_t pitch, size_t num_rows, const float* samples, size_t num, double u, double du, double v,
            double dv, const float* weights) {
  constexpr size_t kEach = 2 * S::kLanes;
  for (size_t i = 0; i < num; ++i, samples += kEach) {
    // Both are above -3: + 4 makes truncation floor.
    const double x = u + static_cast<double>(i) * du + 4, y = v + static_cast<double>(i) * dv + 4;
    const int64_t whole_x = static_cast<int64_t>(x), whole_y = static_cast<int64_t>(y);
    const float* const wx = weights + 4 * static_cast<size_t>((x - static_cast<double>(whole_x)) * kSpreadSteps + 0.5);
    const float* const wy = weights + 4 * static_cast<size_t>((y - static_cast<double>(whole_y)) * kSpreadSteps + 0.5);
    const auto re = S::load(samples), im = S::load(samples + S::kLanes);
    float* const column = band + static_cast<size_t>(whole_x - 5) * kEach;
    for (int64_t r = 0; r < 4; ++r) {
      const int64_t row = whole_y - 5 + r;
      if (row < 0 || row >= static_cast<int64_t>(num_rows)) continue;
      float* cell = column + static_cast<size_t>(row) * pitch;
      const auto a = re * wy[r], b = im * wy[r];
      for (int c = 0; c < 4; ++c, cell += kEach) {
        S::store(cell, S::load(cell) + a * wx[c]);
        S::store(cell + S::kLanes, S::load(cell + S::kLanes) + b * wx[c]);
      }
    }
  }
}

}  // namespace
}  // namespace vsh::tomography
