// What every run of `vershina bench` begins and ends with: the processors, the files it writes, the stream it talks to.
#pragma once

#include <cerrno>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "measure/affinity.hpp"
#include "cli/files/output_file.hpp"
#include "bench/setup/options.hpp"

namespace vsh::bench {

// The processors that this run uses. Throws Failure where --processor names one that it may not.
struct Place {
  explicit Place(const Options& options);

  measure::Affinity affinity;
  unsigned count;  // processors that this process may use; at least 1
  int processor;   // for one thread; -1: the system does not tell
};

// A file that appears complete or not at all; opened before anything is measured. Null where no name is given.
class ResultFile {
 public:
  explicit ResultFile(const std::string& name);  // throws Failure
  explicit operator bool() const { return file_ != nullptr; }
  void write(const std::string& text);  // throws Failure; nothing where no name was given

 private:
  std::unique_ptr<cli::OutputFile> file_;
};

// Tables go to standard output, or to standard error where a result file is "-".
std::ostream& table_stream(const Options& options);

// Throws Failure if the stream has lost something; a reader that went away ends the run. errno: of the writing.
void check_written(std::ostream& out);

// Writes something at once.
template <class F>
void print(std::ostream& out, F write) {
  errno = 0;
  write();
  check_written(out);
}

}  // namespace vsh::bench
