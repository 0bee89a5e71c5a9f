#include "measure/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "measure/statistics.hpp"

namespace vsh::measure {
namespace {

// Long enough for the clocks to resolve it to a thousandth, short enough to fall between two disturbances.
constexpr double kSampleSeconds = 1e-3;
constexpr size_t kMinUndisturbed = 5;
constexpr size_t kEnoughUndisturbed = 3;
// Bound on the time for a contender that is always disturbed, or is slower than the time of one sample.
constexpr double kPatience = 4;

struct Sample {
  double wall, cpu, cycles, stamps;
};

struct Contender {
  const std::function<void()>& run;
  int repeats = 1;
  double spent = 0;
  std::vector<Sample> good, disturbed;

  Sample sample() const {
    const double cpu = process_cpu_seconds();
    const uint64_t stamp = time_stamp();
    const double wall = wall_seconds();
    for (int i = 0; i < repeats; ++i) run();
    const double n = repeats;
    return {(wall_seconds() - wall) / n, (process_cpu_seconds() - cpu) / n, 0,
            static_cast<double>(time_stamp() - stamp) / n};
  }
  void warm_up() {
    run();  // page faults, caches, first use of kernels
    const double begin = wall_seconds();
    run();
    const double once = std::max(wall_seconds() - begin, 1e-8);
    repeats = std::max(1, static_cast<int>(kSampleSeconds / once));
  }
  bool finished(double seconds, size_t min_samples) const {
    const size_t samples = good.size() + disturbed.size();
    return (spent >= seconds && good.size() >= std::max(min_samples, kMinUndisturbed)) ||
           (spent >= kPatience * seconds && samples >= min_samples);
  }
  Cost cost() const {
    Cost c;
    c.rough = good.size() < kEnoughUndisturbed;
    std::vector<Sample> counted = good;
    if (c.rough) counted.insert(counted.end(), disturbed.begin(), disturbed.end());
    const auto middle = [&](double Sample::*field) {
      std::vector<double> values;
      for (const Sample& s : counted) values.push_back(s.*field);
      return std::pair(median(values), relative_spread(values));
    };
    std::tie(c.wall_seconds, c.spread) = middle(&Sample::wall);
    c.cpu_seconds = middle(&Sample::cpu).first;
    c.core_cycles = middle(&Sample::cycles).first;
    c.time_stamps = middle(&Sample::stamps).first;
    c.samples = static_cast<int>(counted.size());
    c.dropped = static_cast<int>(disturbed.size());
    return c;
  }
};

}  // namespace

// Disturbed: another hardware thread used a part of the core (fewer additions a cycle), or the clock changed.
bool Sampler::undisturbed(const Probe& before, const Probe& after) const {
  const double adds = std::min(before.adds_per_cycle, after.adds_per_cycle);
  const double drift = std::abs(before.core_hz - after.core_hz) / std::max(before.core_hz, after.core_hz);
  return adds > 0.85 * quiet_.adds_per_cycle && drift < 0.04;
}

std::vector<Cost> Sampler::measure(const std::vector<std::function<void()>>& contenders, unsigned threads) const {
  std::vector<Contender> all;
  for (const auto& run : contenders) {
    all.push_back({run, 1, 0, {}, {}});
    all.back().warm_up();
  }
  for (bool more = true; more;) {
    more = false;
    for (Contender& contender : all) {
      if (contender.finished(seconds_, min_samples_)) continue;
      more = true;
      const double queued = threads > 1 ? run_queue_seconds() : 0;
      const Probe before = probe();
      Sample s = contender.sample();
      const Probe after = probe();
      // One thread: its CPU time, so that a preempting process adds no cycles. More: the wall time of all of them, so
      // that waiting for each other counts.
      s.cycles = (threads == 1 ? s.cpu : s.wall * threads) * (before.core_hz + after.core_hz) / 2;
      contender.spent += s.wall * contender.repeats;
      const double waited = threads > 1 ? run_queue_seconds() - queued : (s.wall - s.cpu) * contender.repeats;
      const bool quiet = waited < 0.03 * s.wall * contender.repeats * threads && undisturbed(before, after);
      (quiet ? contender.good : contender.disturbed).push_back(s);
    }
  }
  std::vector<Cost> costs;
  for (const Contender& contender : all) costs.push_back(contender.cost());
  return costs;
}

}  // namespace vsh::measure
