// Results of `vershina tune`, as text and for programs.
#pragma once

#include <string>
#include <vector>

#include "programs/bench/tune/choice.hpp"

namespace vsh::bench {

struct TunedFamily {
  std::string name;  // of the workload; "streebog"
  std::vector<MeasuredRow> rows;
  std::vector<ComparedChoice> choices;
};

std::string tune_table(const TunedFamily& family);
// Returns a line for each choice: what it costs by default and tuned, and where tuning gains most.
std::string tune_summary(const std::vector<TunedFamily>& families);
std::string tune_json(const std::vector<TunedFamily>& families);

// Returns all checked sizes, the worst one in the last line; only that one.
std::string check_table(const Workload& workload, const std::vector<CheckedSize>& sizes);
std::string check_line(const Workload& workload, const std::vector<CheckedSize>& sizes);

}  // namespace vsh::bench
