// `vershina tune`: measures every kernel of this machine, or its devices, and keeps the result where the library looks
// for it.
#pragma once

#include <CLI/CLI.hpp>

namespace vsh::bench {

void add_tune_command(CLI::App& app);

}  // namespace vsh::bench
