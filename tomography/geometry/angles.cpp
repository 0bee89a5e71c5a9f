#include "tomography/geometry/angles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace vsh::tomography {

namespace {

// Angles nearer than this (radians) are one: far below any step, above the rounding of degrees in single precision.
constexpr double kSame = 1e-6;

double modulo(double angle, double period) {
  const double m = std::fmod(angle, period);
  const double positive = m < 0 ? m + period : m;
  return positive < period ? positive : 0;
}

// Encoders jitter: of several half turns, angles that were meant to be one are a little apart, and most steps are tiny.
// So the usual step is found from the covered length: half of it is in steps at least that long. Wedges are
// few, and are not counted: the 8 longest steps, or a third of all.
double same_place(std::vector<double> steps) {
  std::erase_if(steps, [](double step) { return step <= kSame; });
  std::sort(steps.begin(), steps.end());
  if (!steps.empty()) steps.resize(steps.size() - std::clamp<size_t>(steps.size() / 3, 1, 8));
  double left = std::accumulate(steps.begin(), steps.end(), 0.0) / 2;
  for (const double step : steps)
    if ((left -= step) <= 0) return std::max(kSame, step / 20);
  return kSame;
}

// Only a gap that clearly is one is a wedge. A regular scan has no gap above 3 others. Gaps of random angles are
// exponential: the widest of 300 is 6 means, and this is 12.
double widest_gap(std::vector<double> gaps) {
  const size_t n = gaps.size();
  if (n < 3) return std::numeric_limits<double>::infinity();
  std::sort(gaps.begin(), gaps.end());
  return 3 * (2 * gaps[(n - 1) * 9 / 10] - gaps[n / 2]);
}

}  // namespace

AngleCircle::AngleCircle(std::span<const double> angles, double period) {
  const size_t num = angles.size();
  std::vector<std::pair<double, size_t>> sorted(num);
  for (size_t i = 0; i < num; ++i) sorted[i] = {modulo(angles[i], period), i};
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> steps(num);  // before each
  for (size_t i = 0; i < num; ++i)
    steps[i] = sorted[i].first - (i > 0 ? sorted[i - 1].first : sorted.back().first - period);
  // From behind the longest step on, so that no place is on both sides of 0.
  const size_t first = static_cast<size_t>(std::max_element(steps.begin(), steps.end()) - steps.begin());
  const double same = same_place(steps);
  double start = 0, sum = 0;  // of a place
  for (size_t k = 0; k < num; ++k) {
    const auto [folded, i] = sorted[(first + k) % num];
    const double angle = folded + (first + k < num ? 0 : period);
    if (k == 0 || angle - start > same) {
      places.push_back({});
      start = angle, sum = 0;
    }
    sum += angle - start;
    places.back().members.push_back(i);
    const double mean = modulo(start + sum / static_cast<double>(places.back().members.size()), period);
    places.back().angle = mean < period - kSame ? mean : 0;
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.angle < b.angle; });
  const size_t n = places.size();
  for (size_t i = 0; i < n; ++i)
    gaps.push_back((i + 1 < n ? places[i + 1].angle : places[0].angle + period) - places[i].angle);
  widest = widest_gap(gaps);
  double covered = 0;
  size_t count = 0;
  for (const double gap : gaps)
    if (gap <= widest) covered += gap, ++count;
  usual = covered / static_cast<double>(count);
}

std::vector<double> gap_weights(std::span<const double> angles, double period) {
  const AngleCircle circle(angles, period);
  const size_t n = circle.places.size();
  const auto length = [&](size_t i) { return circle.gaps[i] > circle.widest ? 1.5 * circle.usual : circle.gaps[i]; };
  std::vector<double> weights(angles.size());
  for (size_t i = 0; i < n; ++i) {
    const std::vector<size_t>& members = circle.places[i].members;
    const double share = (length(i) + length((i + n - 1) % n)) / 2 * std::numbers::pi / period;
    for (const size_t m : members) weights[m] = share / static_cast<double>(members.size());
  }
  return weights;
}

}  // namespace vsh::tomography
