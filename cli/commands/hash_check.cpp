// `vershina hash --check`: messages and results are exactly those of coreutils.
#include <cerrno>
#include <cstring>
#include <thread>

#include "cli/commands/hash.hpp"
#include "cli/files/line_reader.hpp"
#include "cli/files/ordered_map.hpp"
#include "cli/system/console.hpp"
#include "cli/text/checksum_line.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {
namespace {

constexpr const char* kStdinName = mark("'standard input'");  // with the quotes of coreutils

struct Counts {
  uint64_t proper = 0;
  uint64_t misformatted = 0;
  uint64_t unreadable = 0;
  uint64_t mismatched = 0;
  uint64_t matched = 0;
};

class ListCheck {
 public:
  ListCheck(const std::string& name, const HashSettings& settings)
      : settings_(settings),
        from_stdin_(name == "-"),
        input_(name, kStdinName),
        lines_(input_),
        progress_(!settings.no_progress && !settings.quiet && !settings.status, quote_name(name), std::nullopt) {}

  bool run() {
    const unsigned threads =
        settings_.threads != 0 ? settings_.threads : std::max(1u, std::thread::hardware_concurrency());
    const auto work = [&](const ChecksumLine& line) {
      return hash_file(line.name, line.algorithm, settings_, progress_, cancelled_);
    };
    const auto take = [&](const ChecksumLine& line, const FileDigest& digest) {
      try {
        take_result(line, digest);
      } catch (...) {
        cancelled_ = true;
        throw;
      }
    };
    in_order(
        threads, [&] { return next(); }, work, take);
    print_warnings();
    const Counts& n = counts_;
    return n.proper > 0 && n.mismatched == 0 && n.unreadable == 0 && (!settings_.ignore_missing || n.matched > 0) &&
           (!settings_.strict || n.misformatted == 0);
  }

 private:
  std::optional<ChecksumLine> next() {
    std::string line;
    bool whole = false;
    while (lines_.next(line, whole)) {
      ++line_number_;
      if (line.starts_with('#')) continue;
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      auto parsed = whole ? parse_checksum_line(line, settings_.algorithm, form_) : std::nullopt;
      if (parsed && !(from_stdin_ && parsed->name == "-")) {
        ++counts_.proper;
        return parsed;
      }
      ++counts_.misformatted;
      if (settings_.warn) {
        print_error(tr("{1}: {2}: improperly formatted Streebog checksum line", input_.name(), line_number_));
      }
    }
    return std::nullopt;
  }

  void take_result(const ChecksumLine& line, const FileDigest& digest) {
    if (digest.failure) {
      if (settings_.ignore_missing && digest.failure->error_number() == ENOENT) return;
      print_error(digest.failure->problem());
      ++counts_.unreadable;
      if (!settings_.status) print(escape_for_result(line.name) + ": FAILED open or read\n");
      return;
    }
    const bool match = digest.bytes == line.digest;
    ++(match ? counts_.matched : counts_.mismatched);
    if (line.has_tag) any_tag_ = true;
    if (settings_.status || (match && settings_.quiet)) return;
    print(escape_for_result(line.name) + (match ? ": OK\n" : ": FAILED\n"));
  }

  void print_warnings() const {
    if (counts_.proper == 0) return print_error(tr("{1}: no properly formatted checksum lines found", input_.name()));
    if (settings_.status) return;
    const Counts& n = counts_;
    if (n.misformatted > 0)
      print_error(tr_count(n.misformatted, "WARNING: {1} line is improperly formatted",
                           "WARNING: {1} lines are improperly formatted"));
    if (n.unreadable > 0)
      print_error(tr_count(n.unreadable, "WARNING: {1} listed file could not be read",
                           "WARNING: {1} listed files could not be read"));
    if (n.mismatched > 0)
      print_error(tr_count(n.mismatched, "WARNING: {1} computed checksum did NOT match",
                           "WARNING: {1} computed checksums did NOT match"));
    if (counts_.mismatched > 0 && counts_.matched == 0 && !any_tag_) {
      print_error(
          tr("{1}: not one matches: are they of Streebog? SHA-2 and GOST R 34.11-94 are as long (try "
             "sha256sum -c, sha512sum -c, -a gost94-cryptopro)",
             input_.name()));
    }
    if (settings_.ignore_missing && counts_.matched == 0) print_error(tr("{1}: no file was verified", input_.name()));
  }

  const HashSettings& settings_;
  const bool from_stdin_;
  InputFile input_;
  LineReader lines_;
  Progress progress_;
  std::atomic<bool> cancelled_ = false;
  bool any_tag_ = false;
  ListForm form_ = ListForm::unknown;
  uint64_t line_number_ = 0;
  Counts counts_;
};

}  // namespace

bool check_lists(const HashSettings& settings) {
  bool good = true;
  for (const std::string& name : settings.files) {
    bool is_open = false;
    try {
      ListCheck list(name, settings);
      is_open = true;
      good = list.run() && good;
    } catch (const Failure& failure) {
      if (failure.code() != ExitCode::input) throw;
      // coreutils opens a directory and fails to read it.
      const bool reading = is_open || failure.error_number() == EISDIR;
      print_error(reading ? tr("{1}: read error", name == "-" ? tr(kStdinName) : quote_name(name)) : failure.problem());
      good = false;
    }
  }
  return good;
}

}  // namespace vsh::cli
