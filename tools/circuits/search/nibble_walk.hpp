// SPDX-License-Identifier: Apache-2.0
//
// The search of resubstitution.hpp once more, for functions of four variables: a table fits into sixteen bits,
// the networks have about fifteen gates, and a move takes a microsecond instead of a hundred.

#pragma once

#include "network.hpp"
#include "resubstitution.hpp"

namespace vsh::search {

struct NibbleWalkOptions {
    long moves = 1000000;
    int slack = 3;           // how many gates above the best size the walk may wander
    int uphill_one_in = 20;  // a move that costs a gate is taken once in this many chances
    int extra_gates = 24;    // new gates that a move may try to add
};

// Two-input gates only. `visit` is called for each network that is as small as the best so far.
template <class Visit>
void nibble_walk(const Network& start, const NibbleWalkOptions& options, Random& random, Visit visit);

}  // namespace vsh::search

#include "nibble_walk.inl"
