// Several files for one command, each to an output of its own: their names, and their failures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/text/exit_code.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::cli {

struct FilePair {
  std::string input, output;
};

// Throws Failure, before anything is written, if two outputs are one file, if an output is one of the inputs, or if one
// of several inputs is standard input.
void check_pairs(const std::vector<FilePair>& pairs);

// Reports the failures of single files and goes on, as gzip does; of a single file they are the command's.
class Failures {
 public:
  explicit Failures(size_t num_files) : is_single_(num_files == 1) {}

  // Runs work(); returns false if it failed. Throws what concerns not only this file.
  bool run(const std::function<void()>& work);
  // Returns the exit code of the first failure.
  ExitCode first() const { return first_; }

 private:
  bool is_single_;
  ExitCode first_ = ExitCode::ok;
};

// --suffix: a dot and what follows it.
Option* add_suffix_option(Command& command, std::string& suffix, const std::string& description);

}  // namespace vsh::cli
