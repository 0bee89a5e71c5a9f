// What a shell may offer at some place of a command line: read off CLI11's description of the program, so that
// nothing has to be kept in step with it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

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
Completion complete(const CLI::App& app, std::vector<std::string> words);

// The script that makes a shell ask this program; null for a shell that is not known.
const char* completion_script(const std::string& shell);

}  // namespace vsh::cli
