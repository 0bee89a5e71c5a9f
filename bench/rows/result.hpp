// One line of the benchmark: what was measured, by whom, and what it cost.
#pragma once

#include <optional>
#include <string>

#include "measure/sampler.hpp"
#include "bench/setup/task.hpp"

namespace vsh::bench {

struct Result {
  struct PeerName {
    std::string name, version;
  };

  Work work;
  std::string kernel;  // of a peer: its name
  bool constant_time = false;
  bool chosen = false;  // what the library takes by itself for this work
  size_t bytes = 0;
  unsigned threads = 1;
  size_t alignment = 0;  // of both buffers: bytes past a 64-byte boundary
  bool in_place = false;
  std::optional<double> copy_mbps;   // of memcpy over the same buffers by as many threads, where they fit no cache
  std::optional<double> efficiency;  // rate over (threads times the rate of one thread), where both were measured
  std::optional<PeerName> peer;
  std::string sbox;  // of a peer that has not our default set
  measure::Cost cost;

  double mbps() const { return static_cast<double>(bytes) / cost.wall_seconds / 1e6; }
  double cpb() const { return cost.core_cycles / static_cast<double>(bytes); }
  double cpb_tsc() const { return cost.time_stamps * threads / static_cast<double>(bytes); }
};

// The same work by the same contender on the same buffers, whatever the number of threads.
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
