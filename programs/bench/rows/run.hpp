// Measures groups of contenders, the library's and the peers', each checked before it is timed.
#pragma once

#include <functional>
#include <vector>

#include "measure/affinity.hpp"
#include "programs/bench/peers/peer.hpp"
#include "programs/bench/rows/plan.hpp"
#include "programs/bench/rows/result.hpp"
#include "programs/bench/setup/buffers.hpp"

namespace vsh::bench {

struct Outcome {
  std::vector<Result> results;
  std::vector<Wrong> wrong;
};

class Runner {
 public:
  // processor: to pin single-threaded groups to; -1: none.
  Runner(const measure::Sampler& sampler, const Buffers& buffers, Peers& peers, measure::Affinity& affinity,
         int processor)
      : sampler_(sampler), buffers_(buffers), peers_(peers), affinity_(affinity), processor_(processor) {}

  // Peers are included if the group has one thread.
  Outcome measure(const Group& group);

 private:
  struct Contender;
  std::vector<Contender> contenders(const Group& group);
  bool right(const Group& group, Task& task, const uint8_t* in) const;

  const measure::Sampler& sampler_;
  const Buffers& buffers_;
  Peers& peers_;
  measure::Affinity& affinity_;
  int processor_;
};

}  // namespace vsh::bench
