// Other programs: run to completion, or kept as a partner that answers requests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vsh::bench {

// A new folder under the system's temporary one, removed with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws cli::Failure
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct Finished {
  int status;           // exit status; 127: could not be started; 128 + n: ended by signal n
  double wall_seconds;  // from before its start until after its end
  double cpu_seconds;   // user and system, as counted by the system
  std::string output;   // standard output
  std::string error;    // the first line of standard error with "error", else its first line
};

// Searches the program in PATH. input: a file for standard input; empty: /dev/null. environment: "NAME=value" that
// replace or join those of this process.
Finished run_program(const std::vector<std::string>& arguments, const std::string& input = {},
                     const std::vector<std::string>& environment = {});

// Returns the program `vershina`, installed next to this one. Throws cli::Failure if it is missing.
std::string vershina_program();

// A program that reads requests from standard input and writes answers to standard output; ended with this object.
class Partner {
 public:
  explicit Partner(const std::string& program);  // throws std::runtime_error
  ~Partner();
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  void send(std::span<const std::byte> data);  // throws std::runtime_error if the program has ended
  void receive(std::span<std::byte> data);

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace vsh::bench
