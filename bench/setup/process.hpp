// Other programs: run to their end, or kept as a partner that answers requests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vsh::bench {

// A folder of its own under the system's temporary one, removed with all that is in it.
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
  int status;                // exit status; 127: could not be started; 128 + n: ended by signal n
  double wall_seconds;       // from before its start until after its end
  double cpu_seconds;        // of user and system, as the system counted them for it
  std::string output;        // standard output
  std::string error;         // of standard error the first line that says "error", else the first
};

// The program is looked for in PATH. input: a file for standard input; empty: /dev/null. environment: "NAME=value" that
// replace or join those of this process.
Finished run_program(const std::vector<std::string>& arguments, const std::string& input = {},
                     const std::vector<std::string>& environment = {});

// The program `vershina`, which is installed beside this one. Throws cli::Failure where it is not.
std::string vershina_program();

// A program that reads requests from standard input and writes answers to standard output; ended with this object.
class Partner {
 public:
  explicit Partner(const std::string& program);  // throws std::runtime_error
  ~Partner();
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  void send(std::span<const std::byte> data);  // throws std::runtime_error where the program is gone
  void receive(std::span<std::byte> data);

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace vsh::bench
