// Cost against size of message, one chart a work: which kernel pays where, and how well the library chooses.
#pragma once

#include <string>
#include <vector>

#include "bench/report/chart.hpp"
#include "bench/rows/result.hpp"

namespace vsh::bench {

// A chart for each work of the results; the line of the library's own choice is the thick one.
std::vector<Chart> to_charts(const std::vector<Result>& results);

// How much the library's choice costs over the best of all constant-time kernels at the same size, where it is worst.
struct WorstChoice {
  double ratio = 0;
  size_t bytes = 0;
  std::string best;  // the kernel that would have been better
};
WorstChoice worst_choice(const std::vector<Result>& results);

}  // namespace vsh::bench
