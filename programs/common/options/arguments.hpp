// Parses the command line like getopt, strictly: short options in clusters, values after "=" or as the next word, "--"
// before operands. No abbreviations. Throws a Failure in plain words for an unknown option, one given twice, an empty
// value, a missing or extra value.
#pragma once

#include <string>

#include "programs/common/options/command.hpp"

namespace vsh::cli {

// --help and --version take effect as soon as they are read, whatever follows.
enum class Request { run, help, version };

// Sets the options of `command` from the words after its name.
Request read_arguments(Command& command, const Texts& words);

struct Arguments {
  Request request;
  Command* command;  // null: the program itself
};
// words: all after the program's name; at least one.
Arguments read_arguments(Program& program, const Texts& words);

// Returns the command of that name. Throws a Failure that suggests the nearest one.
Command& find_command(Program& program, const std::string& name);

}  // namespace vsh::cli
