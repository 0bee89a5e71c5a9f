// Companion programs, installed next to this one, that implement some of its commands: `vershina bench` is
// vershina-bench, `vershina disk` is vershina-disk, `vershina tomo` is vershina-tomo.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vsh::cli {

// Returns the search path: the directory of this program, then the configured directory of programs. Not PATH, and not
// the current directory: others may put a program of that name there.
std::vector<std::string> companion_directories();

// Returns the first executable file NAME in these absolute directories; empty if there is none.
std::string find_companion(const std::string& name, const std::vector<std::string>& directories);

// Replaces this process by the program `name` of the package `package`, with these arguments. Throws Failure if it is
// not installed or does not start. Called before take_signals(): ignored signals stay ignored across exec.
[[noreturn]] void start_companion(const std::string& name, const std::string& package,
                                  const std::vector<std::string>& arguments);

// Returns the arguments for vershina-bench if the command line is for it: its commands, their help and completion.
// Otherwise empty, with nothing copied (there may be keys among them).
std::vector<std::string> arguments_for_bench(int argc, const char* const* argv);

// Likewise for a program with commands of its own, as vershina-disk is behind `disk`: the words behind `command`, which
// may be none; its help and completion.
std::optional<std::vector<std::string>> arguments_for_program(std::string_view command, int argc,
                                                              const char* const* argv);

}  // namespace vsh::cli
