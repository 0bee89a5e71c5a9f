// The benchmark's JSON (docs/benchmark.md describes it).
#pragma once

#include <string>
#include <vector>

#include "measure/machine.hpp"
#include "programs/bench/peers/peer.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/bench/rows/key_setup.hpp"
#include "programs/bench/rows/result.hpp"

namespace vsh::bench {

struct Report {
  const measure::Machine& machine;
  const Peers& peers;
  std::vector<Result> results;
  std::vector<KeySetup> key_setups;
  std::vector<Wrong> wrong;
  std::string command;  // as the user typed it
};

std::string to_json(const Report& report);

// The same figures to be sent to others and compared: a line for each work, size and number of threads, with the
// processor and the compiler and nothing that tells whose machine it is.
std::string to_submission(const Report& report);

// For other documents of the benchmark: `machine` as in the report.
Object machine_json(const measure::Machine& machine, const Peers& peers);

}  // namespace vsh::bench
