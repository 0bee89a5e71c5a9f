// How long something on a device takes: wall time until everything is done, several times over.
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
  // Each measurement takes at least so many seconds, and five runs.
  Stopwatch(double seconds, const std::string& bus) : seconds_(seconds), meter_(bus) {}

  // run returns when the device has done all. One run before those that count.
  Timing measure(const std::function<void()>& run) const;

 private:
  double seconds_;
  measure::EnergyMeter meter_;
};

}  // namespace vsh::bench
