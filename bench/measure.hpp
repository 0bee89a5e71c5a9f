// The measuring run of `vershina bench`: tables, and where asked a JSON file and a plot of cost against size.
#pragma once

#include "bench/setup/options.hpp"

namespace vsh::bench {

// Throws cli::Failure; before anything is measured where the options cannot be met.
void measure(const Options& options);

}  // namespace vsh::bench
