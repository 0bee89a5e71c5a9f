// `vershina bench`: this machine's speed per algorithm and kernel, beside other libraries and published
// figures.
#pragma once

#include <CLI/CLI.hpp>

namespace vsh::bench {

void add_bench_command(CLI::App& app);

}  // namespace vsh::bench
