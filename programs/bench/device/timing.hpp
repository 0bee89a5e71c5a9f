// Timing of work on a device: wall time until completion, repeated.
#pragma once

#include <functional>

#include "measure/energy.hpp"

namespace vsh::bench {

struct Timing {
  double seconds = 0;  // of a run: the median
  double spread = 0;   // MAD over median
  int samples = 0;
  std::optional<double> joules;  // of a run
};

class Stopwatch {
 public:
  // Each measurement takes at least this many seconds and five runs.
  Stopwatch(double seconds, const std::string& bus) : seconds_(seconds), meter_(bus) {}

  // run returns when the device is finished. One run is not counted.
  Timing measure(const std::function<void()>& run) const;

 private:
  double seconds_;
  measure::EnergyMeter meter_;
};

}  // namespace vsh::bench
