// Messages and results are exactly those of coreutils' sha256sum, but for the words of a MAC.
#include "programs/vershina/commands/list_check.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

#include "programs/common/files/ordered_map.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/vershina/files/line_reader.hpp"
#include "programs/vershina/text/json_rows.hpp"

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
  ListCheck(const std::string& name, const ListSettings& settings, const ListKind& kind, JsonRows* rows)
      : settings_(settings),
        kind_(kind),
        rows_(rows),
        list_(name),
        from_stdin_(name == "-"),
        input_(name, kStdinName),
        lines_(input_),
        progress_(!settings.no_progress && !settings.quiet && !settings.status, quote_name(name), std::nullopt) {}

  bool run() {
    const unsigned threads =
        settings_.threads != 0 ? settings_.threads : std::max(1u, std::thread::hardware_concurrency());
    const auto work = [&](const ChecksumLine& line) { return kind_.check(line, progress_, cancelled_); };
    const auto take = [&](const ChecksumLine& line, const CheckedFile& file) {
      try {
        take_result(line, file);
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
      if (++line_number_ == 1) read_byte_order_mark(line);
      if (line.starts_with('#')) continue;
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      auto parsed = whole ? kind_.parse(line, form_) : std::nullopt;
      if (parsed && !(parsed->name == "-" && (from_stdin_ || kind_.stdin_is_taken()))) {
        ++counts_.proper;
        return parsed;
      }
      ++counts_.misformatted;
      if (settings_.warn) {
        print_error(input_.name() + ": " + std::to_string(line_number_) + ": " + kind_.improper_line());
      }
      if (rows_ && !settings_.status) {
        rows_->add(JsonObject().add("list", list_).add("line", line_number_).add("result", "misformatted"));
      }
    }
    return std::nullopt;
  }

  // Removes the mark with which editors of Windows begin UTF-8: the line behind it names a file to be checked.
  void read_byte_order_mark(std::string& line) const {
    if (line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    if (!line.starts_with("\xff\xfe") && !line.starts_with("\xfe\xff")) return;
    throw Failure(ExitCode::data, tr("{1}: the list is UTF-16", input_.name()),
                  tr("convert it: iconv -f UTF-16 -t UTF-8 LIST > NEW"));
  }

  void take_result(const ChecksumLine& line, const CheckedFile& file) {
    if (file.failure) {
      if (settings_.ignore_missing && file.failure->error_number() == ENOENT) return;
      print_error(file.failure->problem());
      ++counts_.unreadable;
    } else {
      ++(file.matches ? counts_.matched : counts_.mismatched);
      if (line.has_tag) any_tag_ = true;
    }
    if (settings_.status || (file.matches && settings_.quiet)) return;
    if (rows_) return rows_->add(row(line, file));
    print(escape_for_result(line.name) + (file.failure   ? ": FAILED open or read\n"
                                          : file.matches ? ": OK\n"
                                                         : ": FAILED\n"));
  }

  JsonObject row(const ChecksumLine& line, const CheckedFile& file) const {
    JsonObject row;
    add_file(row, line.name).add("algorithm", kind_.algorithm_name(line)).add("list", list_);
    if (file.failure) {
      row.add("result", file.failure->error_number() == ENOENT ? "missing" : "unreadable");
      return add_error(row, *file.failure);
    }
    row.add("result", file.matches ? "OK" : "FAILED");
    if (!file.computed.empty()) {
      row.add("expected", encode_hex(line.digest)).add("digest", encode_hex(file.computed));
    }
    return row.add("bytes", file.size);
  }

  void print_warnings() const {
    if (counts_.proper == 0) return print_error(input_.name() + ": " + kind_.no_proper_line());
    if (settings_.status) return;
    if (counts_.misformatted > 0) {
      print_error(tr_count(counts_.misformatted, "WARNING: {1} line is improperly formatted",
                           "WARNING: {1} lines are improperly formatted"));
    }
    if (counts_.unreadable > 0) {
      print_error(tr_count(counts_.unreadable, "WARNING: {1} listed file could not be read",
                           "WARNING: {1} listed files could not be read"));
    }
    if (counts_.mismatched > 0) print_error(kind_.mismatches(counts_.mismatched));
    if (counts_.mismatched > 0 && counts_.matched == 0 && !any_tag_) {
      print_error(input_.name() + ": " + kind_.not_one_matches());
    }
    if (settings_.ignore_missing && counts_.matched == 0) print_error(tr("{1}: no file was verified", input_.name()));
  }

  const ListSettings& settings_;
  const ListKind& kind_;
  JsonRows* const rows_;  // null: lines of text
  const std::string list_;
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

void ListOptions::add_to(Command& command, const std::string& quiet_names, const std::string& quiet_text) {
  ignore_missing_ = command.add_flag("--ignore-missing", tr("Checking: do not fail for missing files"));
  quiet_ = command.add_flag(quiet_names, quiet_text);
  quiet_checks_only_ = quiet_names == "--quiet";
  status_ = command.add_flag("--status", tr("Checking: print nothing; report only through the exit status"));
  strict_ = command.add_flag("--strict", tr("Checking: fail for improperly formatted lines"));
  warn_ = command.add_flag("-w,--warn", tr("Checking: name improperly formatted lines"));
}

ListSettings ListOptions::read(const Command& command, bool checks) const {
  for (const Option* option : {ignore_missing_, status_, warn_, quiet_, strict_}) {
    if (checks || option->count() == 0 || (option == quiet_ && !quiet_checks_only_)) continue;
    throw Failure(ExitCode::usage,
                  quiet_checks_only_ ? tr("the {1} option is meaningful only when verifying checksums", option->name())
                                     : tr("the {1} option is meaningful only with --check", option->name()),
                  tr("see `{1} --help`", command.full_name()));
  }
  ListSettings settings;
  settings.ignore_missing = ignore_missing_->count() > 0;
  settings.strict = strict_->count() > 0;
  for (const Option* option : command.given()) {
    if (option != quiet_ && option != status_ && option != warn_) continue;
    settings.quiet = option == quiet_;
    settings.status = option == status_;
    settings.warn = option == warn_;
  }
  return settings;
}

ExitCode check_lists(const std::vector<std::string>& lists, const ListSettings& settings, const ListKind& kind) {
  ExitCode result = ExitCode::ok;
  const auto fail = [&](ExitCode code) {
    if (result == ExitCode::ok) result = code;
  };
  JsonRows rows;
  for (const std::string& name : lists) {
    bool is_open = false;
    try {
      ListCheck list(name, settings, kind, settings.json ? &rows : nullptr);
      is_open = true;
      if (!list.run()) fail(ExitCode::data);
    } catch (const Failure& failure) {
      if (failure.code() != ExitCode::input) throw;
      // coreutils opens a directory and fails to read it.
      const bool reading = is_open || failure.error_number() == EISDIR;
      print_error(reading ? tr("{1}: read error", name == "-" ? tr(kStdinName) : quote_name(name)) : failure.problem());
      fail(ExitCode::input);
    }
  }
  if (settings.json && !settings.status) rows.finish();
  return result;
}

}  // namespace vsh::cli
