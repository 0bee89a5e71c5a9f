// Common parts of every run of `vershina bench`: the processors, the files it writes, the stream of its tables.
#pragma once

#include <cerrno>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "measure/affinity.hpp"
#include "programs/bench/setup/options.hpp"
#include "programs/common/files/output_file.hpp"

namespace vsh::bench {

// The processors that this run uses. Throws Failure if --processor names one that it may not use.
struct Place {
  explicit Place(const Options& options);

  measure::Affinity affinity;
  unsigned count;  // processors that this process may use; at least 1
  int processor;   // for one thread; -1: unknown
};

// A file that appears complete or not at all; opened before any measurement. Null if no name is given.
class ResultFile {
 public:
  explicit ResultFile(const std::string& name);  // throws Failure
  explicit operator bool() const { return file_ != nullptr; }
  void write(const std::string& text);  // throws Failure; does nothing if no name was given

 private:
  std::unique_ptr<cli::OutputFile> file_;
};

// Returns the command line of this process as a user would type it, as `vershina bench …`; empty if unknown.
std::string command_line();

// Tables go to standard output, or to standard error if a result file is "-".
std::ostream& table_stream(const Options& options);

// Throws Failure if a write failed; a closed pipe ends the run. errno: of the write.
void check_written(std::ostream& out);

// Writes and flushes.
template <class F>
void print(std::ostream& out, F write) {
  errno = 0;
  write();
  check_written(out);
}

}  // namespace vsh::bench
