// The measuring run of `vershina bench`: tables, and optionally a JSON file and a plot of cost against size.
#pragma once

#include "programs/bench/setup/options.hpp"

namespace vsh::bench {

// Throws cli::Failure; before any measurement if the options cannot be satisfied.
void measure(const Options& options);

}  // namespace vsh::bench
