// Checks the files that lists of checksums or MACs name: `hash --check` and `mac --check`.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/vershina/text/checksum_line.hpp"

namespace vsh::cli {

struct ListSettings {
  bool quiet = false;
  bool status = false;
  bool strict = false;
  bool warn = false;
  bool ignore_missing = false;
  bool no_progress = false;
  bool json = false;
  unsigned threads = 0;
};

// The options of checking: declared once for both commands.
class ListOptions {
 public:
  // quiet: its description, and its names, "-q,--quiet".
  void add_to(Command& command, const std::string& quiet_names, const std::string& quiet_text);
  // Of --quiet, --status and --warn the last one counts. Throws Failure if one is given without --check.
  ListSettings read(const Command& command, bool checks) const;

 private:
  Option* ignore_missing_ = nullptr;
  Option* quiet_ = nullptr;
  Option* status_ = nullptr;
  Option* strict_ = nullptr;
  Option* warn_ = nullptr;
  bool quiet_checks_only_ = false;
};

struct CheckedFile {
  bool matches = false;
  uint64_t size = 0;
  std::vector<uint8_t> computed;   // a hash; empty for a MAC, which would make a forgery
  std::optional<Failure> failure;  // it could not be read
};

// A kind of list: checksums or MACs.
class ListKind {
 public:
  virtual ~ListKind() = default;

  // Returns nullopt for an improper line. `form` is the state of the list.
  virtual std::optional<ChecksumLine> parse(std::string_view line, ListForm& form) const = 0;
  // On any thread; must not throw.
  virtual CheckedFile check(const ChecksumLine& line, Progress& progress, const std::atomic<bool>& cancelled) const = 0;
  virtual const char* algorithm_name(const ChecksumLine& line) const = 0;
  virtual bool stdin_is_taken() const { return false; }  // a line may not name it then

  // Messages, after the name of the list; mismatches() is a whole one.
  virtual std::string improper_line() const = 0;
  virtual std::string no_proper_line() const = 0;
  virtual std::string mismatches(uint64_t count) const = 0;
  virtual std::string not_one_matches() const = 0;
};

// Checks every list: ok if all files match; data if one does not, or is missing; input if a list cannot be read. The
// first failure counts.
ExitCode check_lists(const std::vector<std::string>& lists, const ListSettings& settings, const ListKind& kind);

}  // namespace vsh::cli
