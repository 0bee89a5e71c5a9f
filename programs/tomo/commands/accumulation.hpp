// Filtered back-projection as a sum over projections: those that come are added to those that were there, each with its
// weight, and the sum is scaled to that of all, or half a turn.
#pragma once

#include <cstddef>
#include <vector>

#include "programs/tomo/commands/engine.hpp"

namespace vsh::tomo {

class Accumulation {
 public:
  // Sums for num_rows rows and num_bins bins; subset: projections that come together. Throws a Failure if memory does
  // not hold that.
  Accumulation(PlanOptions options, unsigned threads, size_t num_rows, size_t num_bins, double centre, size_t subset);

  size_t size() const { return size_; }

  // Projections added from now on are a part of these angles: a whole turn has weights of its own (vsh_tomo_displaced).
  // Returns whether it is one.
  bool take_as_parts_of(const std::vector<double>& radians);
  // Returns the angles' shares of pi.
  std::vector<double> weights_of(const std::vector<double>& radians) const;

  // values: [angle][row][bin] of these angles; they are scaled.
  void add(const std::vector<double>& radians, const std::vector<double>& weights, std::vector<float>& values);
  void clear();

  double weight() const { return weight_; }
  // Copies the slices, as if the weights were `whole` together, and returns how much they differ from the former ones
  // in `slices`, as a share of them.
  double take(std::vector<float>& slices, double whole) const;

 private:
  PlanOptions options_;
  unsigned threads_;
  size_t rows_, bins_, size_ = 0;
  double centre_, weight_ = 0;
  std::vector<float> sum_, part_;
};

}  // namespace vsh::tomo
