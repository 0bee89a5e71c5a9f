#include "programs/bench/device/timing.hpp"

#include <algorithm>
#include <vector>

#include "measure/clock.hpp"
#include "measure/statistics.hpp"

namespace vsh::bench {

Timing Stopwatch::measure(const std::function<void()>& run) const {
  constexpr size_t kLeastSamples = 5, kMostSamples = 100000;
  // The energy counter is updated about every tenth of a second.
  constexpr double kLeastForEnergy = 1.0;
  run();
  const auto joules = meter_.joules();
  const double least = joules ? std::max(seconds_, kLeastForEnergy) : seconds_, begin = measure::wall_seconds();
  std::vector<double> times;
  double before = begin;
  while (times.size() < kLeastSamples || (before - begin < least && times.size() < kMostSamples)) {
    run();
    const double now = measure::wall_seconds();
    times.push_back(now - before);
    before = now;
  }
  Timing timing{measure::median(times), measure::relative_spread(times), static_cast<int>(times.size()), {}};
  if (const auto after = meter_.joules(); joules && after)
    timing.joules = (*after - *joules) / static_cast<double>(times.size());
  return timing;
}

}  // namespace vsh::bench
