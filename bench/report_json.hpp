// The benchmark's JSON (docs/benchmark.md describes it).
#pragma once

#include <string>
#include <vector>

#include "machine.hpp"
#include "peers/peer.hpp"
#include "result.hpp"

namespace vsh::bench {

std::string to_json(const Machine& machine, const Peers& peers, const std::vector<Result>& results);

}  // namespace vsh::bench
