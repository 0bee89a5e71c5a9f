#include "tomography/geometry/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "tomography/geometry/angles.hpp"

namespace vsh::tomography {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kDropped = kTurn / 36;       // a gap of dropped frames, at most
constexpr double kWidest = kTurn / 3 + 1e-6;  // the fewest views of a turn are three

}  // namespace

double Trajectory::range() const { return std::accumulate(steps.begin(), steps.end(), 0.0); }

Trajectory trajectory_of(std::span<const double> angles, bool displaced) {
  const AngleCircle circle(angles, kTurn);
  const std::vector<double>& gaps = circle.gaps;
  const size_t n = gaps.size();
  const size_t widest = static_cast<size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());

  // With few irregular angles the other side of half a turn is not a wedge by their gaps alone.
  const double wedge = std::min(circle.widest, kWidest);
  double covered = 0, count = 0;
  for (const double gap : gaps)
    if (gap <= wedge) covered += gap, ++count;
  const double usual = count > 0 ? covered / count : circle.usual;

  Trajectory trajectory;
  trajectory.full = n > 2 && gaps[widest] <= (displaced ? std::max(wedge, kDropped) : wedge);
  const size_t first = trajectory.full ? 0 : (widest + 1) % n;
  for (size_t k = 0; k < n; ++k) {
    const size_t i = (first + k) % n;
    const AngleCircle::Place& place = circle.places[i];
    trajectory.views.push_back(place.members[0]);
    const double own = place.angle + std::remainder(angles[place.members[0]] - place.angle, kTurn);
    trajectory.angles.push_back(own + (first + k >= n ? kTurn : 0));
    const double after = !trajectory.full && k + 1 == n ? usual : gaps[i];
    const double before = !trajectory.full && k == 0 ? usual : gaps[(i + n - 1) % n];
    trajectory.steps.push_back((before + after) / 2);
  }
  return trajectory;
}

}  // namespace vsh::tomography
