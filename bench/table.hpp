// The benchmark's tables for people.
#pragma once

#include <map>
#include <ostream>
#include <string>

#include "peers/peer.hpp"
#include "run.hpp"

namespace vsh::bench {

class Table {
 public:
  explicit Table(std::ostream& out) : out_(out) {}

  void peers(const Peers& peers);
  // One heading per algorithm, then the groups, then what others have published for it.
  void heading(const std::string& algorithm);
  void add(const Outcome& outcome);
  void published(const std::string& algorithm);
  void legend();

 private:
  void row(const Result& result, const std::string& note);
  std::string note(const Result& result);
  void compare_with_best_peer(const Outcome& outcome);

  std::ostream& out_;
  std::map<std::string, double> one_thread_;  // wall seconds by row
};

}  // namespace vsh::bench
