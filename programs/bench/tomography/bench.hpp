// `vershina tomo bench`: what a slice costs here, from memory to memory.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::bench {

void add_tomography_bench_command(cli::Program& program);

}  // namespace vsh::bench
