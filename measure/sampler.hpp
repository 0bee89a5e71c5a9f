// Repeated samples of several contenders in turns (A B C A B C ...), so that disturbances of a shared machine affect
// all alike.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "measure/clock.hpp"

namespace vsh::measure {

// Cost of one run (one message): medians over the undisturbed samples.
struct Cost {
  double wall_seconds = 0;
  double cpu_seconds = 0;  // of the whole process: with threads more than wall time
  double core_cycles = 0;  // of all cores together: time times the core's clock at that moment
  double time_stamps = 0;
  double spread = 0;  // MAD over median of the wall time
  int samples = 0;    // that count
  int dropped = 0;    // disturbed
  // Fewer than three samples were undisturbed, so the medians are over all of them: a rough figure.
  bool rough = false;
};

class Sampler {
 public:
  // quiet: the probe on an undisturbed core. seconds: time for each contender of a group, which takes longer if so many
  // samples, disturbed ones too, do.
  Sampler(const Probe& quiet, double seconds, size_t min_samples = 3)
      : quiet_(quiet), seconds_(seconds), min_samples_(min_samples) {}

  // Each callable runs one message on `threads` threads. Warms up first. Results in the order of `contenders`.
  std::vector<Cost> measure(const std::vector<std::function<void()>>& contenders, unsigned threads) const;

 private:
  bool undisturbed(const Probe& before, const Probe& after) const;

  Probe quiet_;
  double seconds_;
  size_t min_samples_;
};

}  // namespace vsh::measure
