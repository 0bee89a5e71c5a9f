// The search of resubstitution.hpp for functions of four variables: a table fits into sixteen bits, the networks have
// about fifteen gates, and a move takes a microsecond instead of a hundred.

#pragma once

#include <functional>

#include "network.hpp"
#include "resubstitution.hpp"

namespace vsh::search {

struct NibbleWalkOptions {
  long moves = 1000000;
  int slack = 3;           // gates that the walk may go above the best size
  int uphill_one_in = 20;  // a move that costs a gate is accepted once in this many
  int extra_gates = 24;    // new gates that a move may try to add
};

// Two-input gates only. `visit` is called with each network that is smaller than all before, and
// each time the walk comes back to that size: of several networks of one size, some need fewer
// NOTs.
void nibble_walk(const Network& start, const NibbleWalkOptions& options, Random& random,
                 const std::function<void(const Network&)>& visit);

}  // namespace vsh::search
