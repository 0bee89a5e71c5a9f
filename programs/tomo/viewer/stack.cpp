#include "programs/tomo/viewer/stack.hpp"

#include <algorithm>
#include <cmath>

namespace vsh::tomo {

Bytes plane_of(const Stack& stack, size_t axis, size_t index) {
  const auto [depth, height, width] = stack.shape;
  const float* const values = stack.values.data();
  Bytes bytes;
  if (axis == 0) {
    put_floats(bytes, values + index * height * width, height * width);
  } else if (axis == 1) {
    for (size_t z = 0; z < depth; ++z) put_floats(bytes, values + (z * height + index) * width, width);
  } else {
    std::vector<float> row(height);
    for (size_t z = 0; z < depth; ++z) {
      for (size_t y = 0; y < height; ++y) row[y] = values[(z * height + y) * width + index];
      put_floats(bytes, row.data(), height);
    }
  }
  return bytes;
}

Statistics statistics_of(const std::vector<float>& values) {
  Statistics found;
  float low = INFINITY, high = -INFINITY;
  for (const float value : values) {
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    else ++found.num_gaps;
  }
  found.histogram.resize(Statistics::kSteps);
  if (low > high) return found;
  found.low = low, found.high = high;
  const double width = static_cast<double>(high) - static_cast<double>(low);
  const double scale = width > 0 ? static_cast<double>(Statistics::kSteps) / width : 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto step = static_cast<size_t>((static_cast<double>(value) - static_cast<double>(low)) * scale);
    ++found.histogram[std::min(step, Statistics::kSteps - 1)];
  }
  return found;
}

}  // namespace vsh::tomo
