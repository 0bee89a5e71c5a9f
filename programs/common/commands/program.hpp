// What every program of ours has: running what the command line asks for, the version, completion.
#pragma once

#include <string>

#include "programs/common/options/arguments.hpp"

namespace vsh::cli {

// Runs the requested command. Throws Failure.
ExitCode do_request(Program& program, const Arguments& arguments);

// Returns the output of `vershina --version`.
std::string version_text();

void add_completion_command(Program& program);

}  // namespace vsh::cli
