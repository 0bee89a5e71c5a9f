// The linear feedback step of Kuznyechik as a small circuit of XORs.

#pragma once

#include "network.hpp"
#include "resubstitution.hpp"

namespace vsh::search {

// Output bit k of l(a_15, …, a_0), GOST R 34.12-2015, clause 4.1.2, as the set of inputs that it
// sums. Input 8 * i + b of the circuit is bit b of byte a_i.
std::vector<std::vector<int>> lfsr_rows();

// Simulated annealing for `steps` steps. arity 2: XOR of two; arity 3: XOR of three counts as one
// gate as well.
Network lfsr_network(int arity, long steps, Random& random);

// Checks a network of XORs symbolically: each signal as a set of inputs.
bool computes_lfsr(const Network& network);

}  // namespace vsh::search
