#include "tomography/geometry/scan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "tomography/geometry/angles.hpp"

namespace vsh::tomography {

double Scan::range() const { return std::accumulate(steps.begin(), steps.end(), 0.0); }

Scan order_scan(std::span<const double> angles) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const AngleCircle circle(angles, kTurn);
  const std::vector<double>& gaps = circle.gaps;
  const size_t n = gaps.size();
  const size_t widest = static_cast<size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());

  Scan scan;
  scan.full = n > 2 && gaps[widest] <= circle.widest;
  const size_t first = scan.full ? 0 : (widest + 1) % n;
  for (size_t k = 0; k < n; ++k) {
    const size_t i = (first + k) % n;
    const AngleCircle::Place& place = circle.places[i];
    scan.views.push_back(place.members[0]);
    const double own = place.angle + std::remainder(angles[place.members[0]] - place.angle, kTurn);
    scan.angles.push_back(own + (first + k >= n ? kTurn : 0));
    const double after = !scan.full && k + 1 == n ? circle.usual : gaps[i];
    const double before = !scan.full && k == 0 ? circle.usual : gaps[(i + n - 1) % n];
    scan.steps.push_back((before + after) / 2);
  }
  return scan;
}

}  // namespace vsh::tomography
