#include "tomography/geometry/angles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace vsh::tomography {

namespace {

// Angles nearer than this (radians) are one: far below any step, above the rounding of degrees in single precision.
constexpr double kSame = 1e-6;

}  // namespace

double modulo_pi(double theta) {
  const double m = std::fmod(theta, std::numbers::pi);
  const double positive = m < 0 ? m + std::numbers::pi : m;
  return positive < std::numbers::pi ? positive : 0;
}

std::vector<double> gap_weights(std::span<const double> angles) {
  const size_t num = angles.size();
  std::vector<double> folded(num);
  std::transform(angles.begin(), angles.end(), folded.begin(), modulo_pi);
  std::vector<size_t> order(num);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return folded[a] < folded[b]; });

  // Groups of coinciding angles; those just below pi join those at 0.
  std::vector<double> places;
  std::vector<size_t> group(num);
  for (const size_t i : order) {
    if (places.empty() || folded[i] - places.back() > kSame) places.push_back(folded[i]);
    group[i] = places.size() - 1;
  }
  if (places.size() > 1 && places.front() + std::numbers::pi - places.back() < kSame) {
    for (size_t& g : group)
      if (g == places.size() - 1) g = 0;
    places.pop_back();
  }
  const size_t n = places.size();
  std::vector<double> gaps(n);  // after each place
  for (size_t i = 0; i < n; ++i) gaps[i] = (i + 1 < n ? places[i + 1] : places[0] + std::numbers::pi) - places[i];
  if (n > 2) {
    std::vector<double> sorted = gaps;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(n / 2), sorted.end());
    const double median = sorted[n / 2];
    for (double& gap : gaps)
      if (gap > 3 * median) gap = 1.5 * median;
  }
  std::vector<double> shares(n);
  for (size_t i = 0; i < n; ++i) shares[i] = (gaps[i] + gaps[(i + n - 1) % n]) / 2;
  std::vector<size_t> members(n);
  for (const size_t g : group) ++members[g];
  std::vector<double> weights(num);
  for (size_t i = 0; i < num; ++i) weights[i] = shares[group[i]] / static_cast<double>(members[group[i]]);
  return weights;
}

}  // namespace vsh::tomography
