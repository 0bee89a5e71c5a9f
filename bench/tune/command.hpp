// `vershina tune`: measures every kernel of this machine, or its devices, and keeps the result where the library looks
// for it.
#pragma once

#include "cli/options/command.hpp"

namespace vsh::bench {

void add_tune_command(cli::Program& program);

}  // namespace vsh::bench
