// Back-projection of a cone: a column of voxels along the axis, in the lanes.
#pragma once

#include "tomography/slices/kernel.hpp"
#include "tomography/slices/vector.hpp"

namespace vsh::tomography {
namespace {

// The two columns of the detector are mixed into one, which stays in the first cache; the compiler gathers from it
// where the instruction set can.
template <class S>
void cone_column(float* sum, size_t depth, const float* left, const float* right, float left_weight, float right_weight,
                 float* mixed, size_t num_rows, double start, double step) {
  const size_t num = num_rows + 2 * kGuard;
  for (size_t i = 0; i < num; ++i) mixed[i] = left_weight * left[i] + right_weight * right[i];
  // Slices whose row is in [-1, num_rows]; the guards are 0.
  const double first = (-1 - start) / step, last = (static_cast<double>(num_rows) - start) / step;
  const size_t begin = first > 0 ? static_cast<size_t>(first) + 1 : 0;
  const size_t end = last < 0 ? 0 : last < static_cast<double>(depth) ? static_cast<size_t>(last) + 1 : depth;
  // Counted from the first of them, where rows are small numbers: near the source `start` and `step` are large.
  const float origin = static_cast<float>(start + step * static_cast<double>(begin) + kGuard);
  const float pitch = static_cast<float>(step);
  for (size_t z = begin; z < end; ++z) {
    const float row = origin + pitch * static_cast<float>(static_cast<int32_t>(z - begin));
    const int32_t whole = static_cast<int32_t>(row);
    const float f = row - static_cast<float>(whole);
    sum[z] += mixed[whole] + f * (mixed[whole + 1] - mixed[whole]);
  }
}

}  // namespace
}  // namespace vsh::tomography
