// `vershina tune`: measures every kernel of this machine, or its devices, and stores the result where the library reads
// it.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::bench {

void add_tune_command(cli::Program& program);
// `vershina tomo tune`: the same of tomography.
void add_tomography_tune_command(cli::Program& program);

}  // namespace vsh::bench
