// The results of a run in a few lines: one for each algorithm, with a comparison with the best other library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "programs/bench/report/json.hpp"

namespace vsh::bench {

// The lines that `bench` and `tune` print without --all, at most.
inline constexpr size_t kSummaryLines = 20;

// The same work on the same buffers by one thread: our row and the fastest other library, if there are both.
struct Comparison {
  const Result* ours = nullptr;  // the library's choice; if that was not measured, the best constant-time kernel
  const Result* peer = nullptr;
  double ratio() const { return peer->cpb() / ours->cpb(); }  // how many times as fast
};

// One for each work, size, alignment and placement that was measured on one thread, in the order of the results.
// Pointers into `results`.
std::vector<Comparison> compare(const std::vector<Result>& results);

// The work that stands for an algorithm: its counter mode or the hash, else the fastest that was measured.
struct AlgorithmSummary {
  std::string algorithm;
  Comparison one;               // the best rate of one thread; without ours for a yardstick among the peers
  const Result* all = nullptr;  // the best rate with the most threads; null if only one thread was measured
};
std::vector<AlgorithmSummary> summarize(const std::vector<Result>& results);

// How the library compares in all works.
struct Verdict {
  size_t faster = 0, slower = 0;
  double least = 0, most = 0;  // ratios; 0: nothing was compared
  std::string slowest;         // the work of the least one: "magma mac of 16 KiB"
};
Verdict judge(const std::vector<Result>& results);

// "kuznyechik ctr", "magma cbc decrypt", "streebog256".
std::string work_name(const Work& work);

// The first lines: machine, library and peers.
std::string summary_head(const measure::Machine& machine, const Peers& peers);
// The lines after the measurement.
std::string summary_text(const Report& report);

// Leaves out lines from the end of `text` if it has more than `lines`, and says so in the last one.
std::string at_most(const std::string& text, size_t lines);

}  // namespace vsh::bench
