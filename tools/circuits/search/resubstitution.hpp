// Stochastic resubstitution: the local search that shrinks every non-linear circuit here.

#pragma once

#include <chrono>
#include <cstdint>

#include "network.hpp"

namespace vsh::search {

// A small fast generator (xorshift64*), so that results do not depend on the C++ library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull) {}
  std::uint64_t operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  int below(int n) { return static_cast<int>(((*this)() >> 32) * static_cast<std::uint64_t>(n) >> 32); }

 private:
  std::uint64_t state_;
};

struct ShrinkOptions {
  long moves = 100000;      // how many moves to try: work, not time, so that a seed gives one result
  int slack = 1;            // gates that the walk may go above the best size
  int uphill_one_in = 400;  // a move that costs a gate is accepted once in this many
  int max_divisors = 60;    // signals that a move may try (three-input gates)
  int extra_gates = 64;     // new gates that a move may try to add
  int restart_moves = 0;    // return to the best network after so many moves without progress; 0: never
};

// Walks through networks with the same output functions; returns the smallest found. Idea: the
// value of a gate matters only where an output depends on it (its care set, computed exactly here).
// Any function of two or three other signals that agrees there may take its place; gates without readers are then
// removed. Moves that keep the size are accepted too: they lead the walk across plateaus to gains.
Network shrunk(const Network& network, const ShrinkOptions& options, Random& random);

}  // namespace vsh::search
