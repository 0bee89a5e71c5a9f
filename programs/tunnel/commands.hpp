// The commands of vershina-tunnel. Each function adds one to the program's table.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::tunnel {

void add_run_command(cli::Program& program);
void add_keygen_command(cli::Program& program);

}  // namespace vsh::tunnel
