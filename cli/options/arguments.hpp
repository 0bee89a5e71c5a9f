// The command line on its way to CLI11 and back.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vsh::cli {

// The arguments in the order that CLI11 takes them (last first), without keys (command_line_keys.hpp).
//
// The arguments are read here as getopt reads them, so that CLI11 gets nothing that it takes in another way:
// options with their values first, then "--" and the operands. What is wrong with them is a Failure in plain
// words: an unknown option, one given twice, an empty value, a value too few or too many.
// --help and --version count as soon as they are met.
//
// Arguments like "[a,b]" get a mark in front, because CLI11 would read a list of two where
// an option takes several values, and has no switch for that; file names go through unmark() afterwards.
std::vector<std::string> take_arguments(const CLI::App& app, int argc, char** argv);

// The command of that name. Throws a Failure that names the nearest one.
const CLI::App& find_command(const CLI::App& app, const std::string& name);

std::string unmark(std::string argument);
std::vector<std::string> unmark(std::vector<std::string> arguments);

}  // namespace vsh::cli
