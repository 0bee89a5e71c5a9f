// Companion programs, installed next to this one, that implement some of its commands: `vershina bench` is
// vershina-bench, `vershina disk` is vershina-disk; `tunnel` and `tomo` likewise.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/common/system/installation.hpp"

namespace vsh::cli {

// Looks for a program in this one's folder, if nobody else can have put it there, then in the configured directory of
// programs. Not in PATH, and not in the current directory. why: as for find_from_program.
Installed find_companion(const std::string& name, std::string* why = nullptr);

// Replaces this process by the program `name` of the package `package`, with these arguments. Throws Failure if it is
// not installed or does not start. Called before take_signals(): ignored signals stay ignored across exec.
[[noreturn]] void start_companion(const std::string& name, const std::string& package,
                                  const std::vector<std::string>& arguments);

// Returns the arguments for vershina-bench if the command line is for it: its commands, their help and completion.
// Otherwise empty, with nothing copied (there may be keys among them).
std::vector<std::string> arguments_for_bench(int argc, const char* const* argv);

// Likewise for a program of several commands, vershina-NAME: the words behind `name`, which may be none; its help and
// completion.
std::optional<std::vector<std::string>> arguments_for(std::string_view name, int argc, const char* const* argv);

}  // namespace vsh::cli
