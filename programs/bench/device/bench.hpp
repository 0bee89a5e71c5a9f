// `vershina bench --device`: speed of devices in their own memory, from host memory and from files, for one key and for
// many, next to the processor, the bus, and published figures.
#pragma once

#include "programs/bench/setup/options.hpp"

namespace vsh::bench {

// Options::devices. Throws cli::Failure.
void measure_devices(const Options& options);

}  // namespace vsh::bench
