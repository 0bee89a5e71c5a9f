// What a shell may offer at some place of a command line, read off the table of commands.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.hpp"

namespace vsh::cli {

struct Candidate {
  std::string word, description;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  // names of files are right here, instead
};

// words: what stands after the program's name; the last one, perhaps empty, is being typed. A shell's words or, as
// bash cuts them, with "=" as a word of its own.
Completion complete(const Program& program, Texts words);

// The script that makes a shell ask this program; null for a shell that is not known.
const char* completion_script(const std::string& shell);

}  // namespace vsh::cli
