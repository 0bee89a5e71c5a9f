// Completion candidates at a place of a command line, from the table of commands.
#pragma once

#include <string>
#include <vector>

#include "programs/common/options/command.hpp"

namespace vsh::cli {

struct Candidate {
  std::string word, description;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  // complete names of files instead
};

// words: those after the program's name; the last one, possibly empty, is being typed. As a shell splits them, or as
// bash does, with "=" as a separate word.
Completion complete(const Program& program, Texts words);

// Returns the script that makes a shell call this program; null for an unknown shell.
const char* completion_script(const std::string& shell);

}  // namespace vsh::cli
