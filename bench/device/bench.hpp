// `vershina bench --device`: what devices do by themselves, from host memory and from files, for one key and for many,
// beside the processor, their bus, and what others have published.
#pragma once

#include "bench/setup/options.hpp"

namespace vsh::bench {

// Options::devices. Throws cli::Failure.
void measure_devices(const Options& options);

}  // namespace vsh::bench
