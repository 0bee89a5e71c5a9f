// The benchmark's text tables.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "programs/bench/peers/peer.hpp"
#include "programs/bench/rows/key_setup.hpp"
#include "programs/bench/rows/run.hpp"

namespace vsh::bench {

class Table {
 public:
  explicit Table(std::ostream& out) : out_(out) {}

  void peers(const Peers& peers);
  // One heading per algorithm, then the groups, then published figures for it.
  void heading(const std::string& algorithm);
  void add(const Outcome& outcome);
  void wrong(const Outcome& outcome);  // contenders that were not timed; part of add
  void key_setup(const std::vector<KeySetup>& list);
  void published(const std::string& algorithm);
  void legend();

 private:
  void row(const Result& result, const std::string& note);
  void compare_with_best_peer(const Outcome& outcome);
  void compare_with_copy(const Outcome& outcome);

  std::ostream& out_;
};

}  // namespace vsh::bench
