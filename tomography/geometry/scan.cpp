#include "tomography/geometry/scan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace vsh::tomography {

double Scan::range() const { return std::accumulate(steps.begin(), steps.end(), 0.0); }

Scan order_scan(std::span<const double> angles) {
  constexpr double kTurn = 2 * std::numbers::pi;
  constexpr double kSame = 1e-6;
  std::vector<std::pair<double, size_t>> sorted;
  for (size_t i = 0; i < angles.size(); ++i) {
    const double folded = angles[i] - kTurn * std::floor(angles[i] / kTurn);
    sorted.push_back({folded < kTurn - kSame ? folded : 0, i});
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(
      std::unique(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return b.first - a.first < kSame; }),
      sorted.end());
  const size_t n = sorted.size();
  std::vector<double> gaps(n);
  for (size_t i = 0; i < n; ++i)
    gaps[i] = (i + 1 < n ? sorted[i + 1].first : sorted[0].first + kTurn) - sorted[i].first;
  std::vector<double> ordered = gaps;
  std::nth_element(ordered.begin(), ordered.begin() + static_cast<ptrdiff_t>(n / 2), ordered.end());
  const double median = ordered[n / 2];
  const size_t widest = static_cast<size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());

  Scan scan;
  scan.full = n > 2 && gaps[widest] <= 3 * median;
  const size_t first = scan.full ? 0 : (widest + 1) % n;
  for (size_t k = 0; k < n; ++k) {
    const size_t i = (first + k) % n;
    scan.views.push_back(sorted[i].second);
    scan.angles.push_back(sorted[i].first + (first + k >= n ? kTurn : 0));
    const double after = !scan.full && k + 1 == n ? median : gaps[i];
    const double before = !scan.full && k == 0 ? median : gaps[(i + n - 1) % n];
    scan.steps.push_back((before + after) / 2);
  }
  return scan;
}

}  // namespace vsh::tomography
