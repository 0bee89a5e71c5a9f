// Measures what a slice costs by each row on this machine, through plans, as callers have them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tomography/slices/costs.hpp"

namespace vsh::tomography {

struct TuningSize {
  size_t bins, projections;  // of a parallel beam; a cone has a quarter of both, and as many rows as bins
};
// Returns how many bytes it takes at most to measure: projections, filtered ones, and slices with what makes them.
uint64_t tuning_memory(const TuningSize& size);

struct MeasuredRow {
  size_t index;  // in kernels.def
  const char* variant;
  double cycles, seconds;  // of a slice: core cycles, and the processor's time
  double spread;           // median absolute deviation over median
};
struct MeasuredMethod {
  Method work;
  std::vector<MeasuredRow> rows;  // those that run here
};

// A run is whole batches of a row, of 32 slices at least. seconds: for each row and work, which take longer if three
// runs do. Calls show(what is measured now). Keeps the thread on one processor. Throws std::bad_alloc.
std::vector<MeasuredMethod> measure_works(const TuningSize& size, double seconds,
                                          const std::function<void(const std::string&)>& show);

SliceCosts costs_of(const std::vector<MeasuredMethod>& works);

}  // namespace vsh::tomography
