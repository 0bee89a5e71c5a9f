// `vershina bench`: this machine's speed per algorithm and kernel, next to other libraries and published figures.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::bench {

void add_bench_command(cli::Program& program);

}  // namespace vsh::bench
