// Faults that a real scan adds to exact projections: noise, rings, zingers, counts of photons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vsh::tomo {

struct Faults {
  double noise = 0;    // standard deviation, added to line integrals
  double counts = 0;   // photons a bin without object; 0: line integrals instead of counts
  double scale = 1;    // of line integrals, before they become counts
  size_t rings = 0;    // bins with a wrong gain, on every row
  size_t zingers = 0;  // bins hit a projection, of all rows together
  uint64_t seed = 1;
};

inline constexpr double kDarkCounts = 100, kRingStrength = 0.1;

// The faults of one scan. The same settings make the same numbers, in whatever order projections come.
class FaultMaker {
 public:
  FaultMaker(const Faults& faults, size_t num_rows, size_t num_bins);

  // Applies them to one projection of line integrals [row][bin].
  void apply(float* projection, size_t angle) const;
  // Fills a frame [row][bin] without object, or without beam.
  void white(float* frame, size_t index) const;
  void dark(float* frame, size_t index) const;

 private:
  const Faults faults_;
  const size_t num_rows_, num_bins_;
  std::vector<double> gains_;  // of bins: the pattern that whites have too
  std::vector<double> rings_;  // of bins: what whites do not have
};

}  // namespace vsh::tomo
