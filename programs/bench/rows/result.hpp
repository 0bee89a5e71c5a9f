// One line of the benchmark: the work, the contender and the cost.
#pragma once

#include <optional>
#include <string>

#include "measure/sampler.hpp"
#include "programs/bench/setup/task.hpp"

namespace vsh::bench {

struct Result {
  struct PeerName {
    std::string name, version;
  };

  Work work;
  std::string kernel;  // of a peer: its name
  bool constant_time = false;
  bool chosen = false;  // the library's own choice for this work
  size_t bytes = 0;
  unsigned threads = 1;
  size_t alignment = 0;  // of both buffers: bytes past a 64-byte boundary
  bool in_place = false;
  std::optional<double> copy_mbps;   // of memcpy over the same buffers by as many threads, if they fit no cache
  std::optional<double> efficiency;  // rate over (threads times the rate of one thread), if both were measured
  std::optional<PeerName> peer;
  std::string sbox;  // of a peer without the default set
  measure::Cost cost;

  double mbps() const { return static_cast<double>(bytes) / cost.wall_seconds / 1e6; }
  double cpb() const { return cost.core_cycles / static_cast<double>(bytes); }
  double cpb_tsc() const { return cost.time_stamps * threads / static_cast<double>(bytes); }
};

// Returns whether they differ only in the number of threads.
inline bool same_but_threads(const Result& a, const Result& b) {
  return a.work == b.work && a.kernel == b.kernel && a.peer.has_value() == b.peer.has_value() && a.bytes == b.bytes &&
         a.alignment == b.alignment && a.in_place == b.in_place;
}

// A contender whose output differs from the others': shown, never timed.
struct Wrong {
  Work work;
  std::string who;
};

}  // namespace vsh::bench
