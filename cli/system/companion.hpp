// Programs that are installed beside this one and do some of its commands: `vershina bench` is vershina-bench.
#pragma once

#include <string>
#include <vector>

namespace vsh::cli {

// Where they are looked for: beside this program, then where this build installs programs. Not in PATH, and not in the
// current directory: others may put a program of that name there.
std::vector<std::string> companion_directories();

// The first executable file NAME of these directories, which begin at the root; empty where there is none.
std::string find_companion(const std::string& name, const std::vector<std::string>& directories);

// Becomes the program `name`, which is in the package `package`, with these arguments. Throws Failure where it is not
// installed or does not start. Before take_signals(): what a program ignores its successor ignores, too.
[[noreturn]] void start_companion(const std::string& name, const std::string& package,
                                  const std::vector<std::string>& arguments);

// The arguments for vershina-bench where the command line is for it: its commands, their help, and what completes them.
// Empty, and nothing copied (there may be keys among them), where it is not.
std::vector<std::string> arguments_for_bench(int argc, const char* const* argv);

}  // namespace vsh::cli
