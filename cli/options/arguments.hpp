// The command line, read as getopt reads it and strictly: short options in clusters, values behind "=" or as the next
// word, "--" before operands. No abbreviations. What is wrong is a Failure in plain words: an unknown option, one given
// twice, an empty value, a value too few or too many.
#pragma once

#include <string>

#include "cli/options/command.hpp"

namespace vsh::cli {

// --help and --version count as soon as they are met, whatever follows.
enum class Request { run, help, version };

// Gives the options of `command` what the words behind its name say.
Request read_arguments(Command& command, const Texts& words);

struct Arguments {
  Request request;
  Command* command;  // null: the program itself
};
// words: all behind the program's name; at least one.
Arguments read_arguments(Program& program, const Texts& words);

// The command of that name. Throws a Failure that names the nearest one.
Command& find_command(Program& program, const std::string& name);

}  // namespace vsh::cli
