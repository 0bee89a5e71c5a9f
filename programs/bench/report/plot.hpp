// Cost against size of message, one chart for each work: the best kernel at each size, and the quality of the library's
// choice.
#pragma once

#include <string>
#include <vector>

#include "programs/bench/report/chart.hpp"
#include "programs/bench/rows/result.hpp"

namespace vsh::bench {

// Returns a chart for each work of the results; the library's own choice is the thick line.
std::vector<Chart> to_charts(const std::vector<Result>& results);

// The largest excess of the library's choice over the best constant-time kernel at the same size.
struct WorstChoice {
  double ratio = 0;
  size_t bytes = 0;
  std::string best;  // the better kernel
};
WorstChoice worst_choice(const std::vector<Result>& results);

}  // namespace vsh::bench
