// Median and median absolute deviation: benchmark results have a heavy tail on only one side.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace vsh::measure {

// Returns the mean of the two middle values for an even count; 0 for no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Returns MAD over median: about 0.67 standard deviations of a normal distribution, as a fraction of the median.
inline double relative_spread(const std::vector<double>& values) {
  const double center = median(values);
  if (center == 0) return 0;
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (double v : values) deviations.push_back(std::abs(v - center));
  return median(deviations) / center;
}

}  // namespace vsh::measure
