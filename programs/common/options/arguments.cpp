#include "programs/common/options/arguments.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "programs/common/options/foreign_names.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// Maps --password-file to --passphrase-file and so on: other programs call it password. Help and documents do not.
std::string with_passphrase(std::string name) {
  static constexpr std::string_view password = "password";
  const size_t at = name.find(password);
  return at == name.npos ? name : name.replace(at, password.size(), "passphrase");
}

// Returns the only option with this beginning, or else the nearest. Empty if there is none.
std::string nearest_option(const Command& command, const std::string& name) {
  if (!name.starts_with("--")) return {};
  Texts all = {"--help", "--version"}, longer;
  for (const Option& option : command.options())
    for (const std::string& known : option.names())
      if (known.starts_with("--") && known != "--help") all.push_back(known);
  for (const std::string& known : all)
    if (known.starts_with(name) && known != "--help") longer.push_back(known);
  return longer.size() == 1 ? longer[0] : nearest(name, all);
}

// Returns advice for the name of a file that looks like an option.
std::string advice_for_file(const std::string& word) {
  struct stat status {};
  if (::lstat(word.c_str(), &status) != 0) return {};
  return tr("for the file of that name write {1}", quote_name("./" + word));
}

// Reads the words after a command's name.
class Reader {
 public:
  Reader(Command& command, const Texts& words) : command_(command), words_(words) {}

  Request read() {
    for (; next_ < words_.size() && request_ == Request::run; ++next_) {
      const std::string& word = words_[next_];
      if (word == "--") {
        operands_.insert(operands_.end(), words_.begin() + static_cast<ptrdiff_t>(next_) + 1, words_.end());
        break;
      }
      if (word.starts_with("--")) {
        read_long(word);
      } else if (word.size() > 1 && word[0] == '-') {
        read_short(word);
      } else {
        operands_.push_back(word);
      }
    }
    if (request_ == Request::run) give_operands();
    return request_;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice = {}) const {
    throw Failure(ExitCode::usage, problem, advice.empty() ? see_help(command_.full_name()) : advice);
  }

  // word: as typed, if `name` is a letter of it.
  Option& find(const std::string& name, const std::string& word) const {
    Option* option = command_.find(name);
    if (option == nullptr) option = command_.find(with_passphrase(name));
    if (option != nullptr) return *option;
    std::string advice = advice_for_file(word);
    if (advice.empty()) advice = advice_for_foreign_name("option of " + command_.name(), word);
    const std::string meant = nearest_option(command_, name);
    if (advice.empty() && !meant.empty()) advice = tr("did you mean {1}?", meant);
    refuse(tr("unknown option {1}", quote_name(word)), advice);
  }

  void check_first(const Option& option) const {
    if (!option.repeats() && option.count() > 0) refuse(tr("{1} is given twice", option.name()), tr("give it once"));
  }

  // No option has an empty value: it comes from an unset variable.
  void give_value(Option& option, const std::string& value) {
    if (value.empty()) refuse(tr("{1} is empty", option.name()), tr("give a value, or leave out {1}", option.name()));
    command_.give(option, value);
  }

  void give_next(Option& option) {
    if (next_ + 1 == words_.size()) refuse(tr("{1} needs a value", option.name()));
    give_value(option, words_[++next_]);
  }

  void read_long(const std::string& word) {
    if (word == "--help" || word == "--version") {
      request_ = word == "--help" ? Request::help : Request::version;
      return;
    }
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    Option& option = find(name, name);
    check_first(option);
    if (!option.takes_value()) {
      if (equals < word.size()) refuse(tr("{1} takes no value", name));
      command_.give(option, "");
    } else if (equals < word.size()) {
      give_value(option, word.substr(equals + 1));
    } else {
      give_next(option);
    }
  }

  // Reads "-f", "-fq", "-oFILE", "-o FILE".
  void read_short(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string name = {'-', word[i]};
      if (name == "-h") {
        request_ = Request::help;
        return;
      }
      Option& option = find(name, word);
      check_first(option);
      if (option.takes_value()) return i + 1 < word.size() ? give_value(option, word.substr(i + 1)) : give_next(option);
      command_.give(option, "");
    }
  }

  void give_operands() {
    size_t next = 0;
    for (Option& option : command_.options()) {
      if (!option.is_operand()) continue;
      const size_t end = option.repeats() ? operands_.size() : std::min(next + 1, operands_.size());
      for (; next < end; ++next) option.give(operands_[next]);
    }
    if (next == operands_.size()) return;
    const std::string word = quote_name(operands_[next]);
    const bool takes_file = command_.find("IN") != nullptr || command_.find("FILE") != nullptr;
    const bool makes_file = next == 0 && command_.find("-o") != nullptr;
    const std::string loop = "for f in *; do " + command_.full_name() + " ... \"$f\"; done";
    refuse(tr("unexpected argument {1}", word),
           takes_file   ? tr("one at a time: {1}", loop)
           : makes_file ? tr("name the output with -o: {1}", command_.full_name() + " -o " + word)
                        : "");
  }

  Command& command_;
  const Texts& words_;
  size_t next_ = 0;
  Request request_ = Request::run;
  Texts operands_;
};

}  // namespace

Request read_arguments(Command& command, const Texts& words) { return Reader(command, words).read(); }

Arguments read_arguments(Program& program, const Texts& words) {
  const std::string& first = words.at(0);
  if (first == "--help" || first == "-h") return {Request::help, nullptr};
  if (first == "--version") return {Request::version, nullptr};
  if (first.starts_with('-'))
    throw Failure(ExitCode::usage, tr("unknown option {1}", quote_name(first)), see_help(program.name()));
  Command& command = find_command(program, first);
  return {read_arguments(command, {words.begin() + 1, words.end()}), &command};
}

Command& find_command(Program& program, const std::string& name) {
  Texts names, longer;
  for (Command& command : program.commands()) {
    if (command.name() == name) return command;
    names.push_back(command.name());
    if (!name.empty() && names.back().starts_with(name)) longer.push_back(names.back());
  }
  std::string advice = advice_for_foreign_name("command", lower_case(name));
  if (advice.empty()) advice = advice_for_foreign_name("command of " + program.name(), lower_case(name));
  const std::string meant = longer.size() == 1 ? longer[0] : nearest(lower_case(name), names);
  if (advice.empty()) advice = meant.empty() ? see_help(program.name()) : tr("did you mean {1}?", meant);
  throw Failure(ExitCode::usage, tr("unknown command {1}", quote_name(name)), advice);
}

}  // namespace vsh::cli
