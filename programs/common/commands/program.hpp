// The common part of all our programs: running a command line, the version, completion.
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
