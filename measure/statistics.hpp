// Median and median absolute deviation: a benchmark's numbers have a heavy tail on one side only.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace vsh::measure {

// The mean of the two middle values where the count is even; 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// MAD over median: about 0.67 standard deviations of a normal distribution, as a fraction of the median.
inline double relative_spread(const std::vector<double>& values) {
  const double center = median(values);
  if (center == 0) return 0;
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (double v : values) deviations.push_back(std::abs(v - center));
  return median(deviations) / center;
}

}  // namespace vsh::measure
