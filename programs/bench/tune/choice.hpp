// The library's choices: with and without the measured costs, and against every single kernel.
#pragma once

#include <string>
#include <vector>

#include "programs/bench/tune/measure_rows.hpp"

namespace vsh::bench {

using tuning::kCipherWorkloads;
using tuning::kRowBlocks;
using tuning::MeasuredRow;
using tuning::Request;
using tuning::RowBenchmark;
using tuning::Workload;

// ---- Default against tuned ------------------------------------------------------------------------------------------

struct ComparedChoice {
  std::string name;                                  // "kuznyechik"; "streebog, public input"
  std::string by_default, tuned;                     // "serial_avx2, from 19 portable, from 133 avx2"
  std::vector<double> default_cycles, tuned_cycles;  // a byte, for each of kRowBlocks
  double default_set_up = 0, tuned_set_up = 0;       // core cycles from a key to an engine; 0: there is no key
};

ComparedChoice compare_choice(const RowBenchmark& bench, const Workload& workload, const tuner::RowCosts& costs);
// Uses the measured costs of hash kernels: measures nothing again.
ComparedChoice compare_hash_choice(const std::vector<MeasuredRow>& rows, bool public_input,
                                   const tuner::RowCosts& costs);
ComparedChoice compare_hash_lanes_choice(const std::vector<MeasuredRow>& rows, const tuner::RowCosts& costs);

// ---- At every size --------------------------------------------------------------------------------------------------

// Cost of a request by the choice in force, and by the best single constant-time row.
struct CheckedSize {
  size_t num_blocks;
  double chosen, best;  // core cycles
  std::string best_row;
  double ratio() const { return chosen / best; }
};

// The largest allowed ratio.
inline constexpr double kWorstRatio = 1.3;

// Checks every size to 32 blocks, about 5 % apart up to 1024, and on both sides of every pass and every threshold.
std::vector<CheckedSize> check_sizes(const RowBenchmark& bench, const Workload& workload);

}  // namespace vsh::bench
