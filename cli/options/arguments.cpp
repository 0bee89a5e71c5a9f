#include "cli/options/arguments.hpp"

#include <algorithm>
#include <string_view>

#include "cli/options/command_line_keys.hpp"
#include "cli/text/failure.hpp"
#include "cli/options/foreign_names.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

constexpr char kMark = '\1';

// Marks before brackets count as well, so that marking can be undone for every name.
bool is_bracketed(std::string_view argument) {
  argument.remove_prefix(std::min(argument.find_first_not_of(kMark), argument.size()));
  return argument.starts_with('[') && argument.ends_with(']');
}

std::string mark(std::string argument) {
  if (is_bracketed(argument)) argument.insert(0, 1, kMark);
  return argument;
}

// --password-file is --passphrase-file, and so on: both words are in use.
std::string with_passphrase(std::string name) {
  const size_t at = name.find("password");
  return at == name.npos ? name : name.replace(at, std::strlen("password"), "passphrase");
}

// The one option that begins so, or else the nearest. Empty where there is none.
std::string nearest_option(const CLI::App& command, const std::string& name) {
  if (!name.starts_with("--")) return {};
  std::vector<std::string> all = {"--help", "--version"}, longer;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& known : option->get_lnames()) all.push_back("--" + known);
  for (const std::string& known : all)
    if (known.starts_with(name) && known != "--help") longer.push_back(known);
  return longer.size() == 1 ? longer[0] : nearest(name, all);
}

// Reads the arguments of one command into options and operands.
class Reader {
 public:
  explicit Reader(const CLI::App& command) : command_(command) {}

  void read(const std::vector<std::string>& arguments) {
    for (next_ = 0; next_ < arguments.size() && stop_.empty(); ++next_) {
      const std::string& argument = arguments[next_];
      if (argument == "--") {
        operands_.insert(operands_.end(), arguments.begin() + static_cast<ptrdiff_t>(next_) + 1,
                         arguments.end());
        break;
      }
      if (argument.starts_with("--")) {
        read_long(arguments);
      } else if (argument.size() > 1 && argument[0] == '-') {
        read_short(arguments);
      } else {
        operands_.push_back(argument);
      }
    }
    if (stop_.empty()) check_operands();
  }

  // In reading order, with the command's name.
  std::vector<std::string> result() const {
    const std::string& name = command_.get_name();
    if (stop_ == "--version") return {stop_};
    if (!stop_.empty()) return {name, stop_};
    std::vector<std::string> all = {name};
    all.insert(all.end(), options_.begin(), options_.end());
    if (!operands_.empty()) all.emplace_back("--");
    for (const std::string& operand : operands_) all.push_back(mark(operand));
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice = {}) const {
    const std::string see = "see `vershina " + command_.get_name() + " --help`";
    throw Failure(ExitCode::usage, problem, advice.empty() ? see : advice);
  }

  // argument: as it was typed, where `name` is a letter of it.
  const CLI::Option& find(const std::string& name, const std::string& argument) const {
    const CLI::Option* option = command_.get_option_no_throw(name);
    if (option == nullptr) option = command_.get_option_no_throw(with_passphrase(name));
    if (option != nullptr) return *option;
    std::string advice = advice_for_foreign_name("option of " + command_.get_name(), argument);
    const std::string meant = nearest_option(command_, name);
    if (advice.empty() && !meant.empty()) advice = "did you mean " + meant + "?";
    refuse("unknown option " + quote_name(argument), advice);
  }

  void add(const CLI::Option& option) {
    const std::string name = option.get_name();
    const bool takes_value = option.get_items_expected_max() > 0;
    const bool repeats = option.get_items_expected_max() > 1;
    if (takes_value && !repeats && std::find(given_.begin(), given_.end(), &option) != given_.end()) {
      refuse(name + " is given twice", "give it once");
    }
    given_.push_back(&option);
    options_.push_back(name);
  }

  // No option means anything by an empty value: it comes of a variable that is not set.
  void add_value(const CLI::Option& option, const std::string& value) {
    if (value.empty()) refuse(option.get_name() + " is empty", "give a value, or leave out " + option.get_name());
    options_.push_back(mark(value));
  }

  void add_next(const CLI::Option& option, const std::vector<std::string>& arguments) {
    if (next_ + 1 == arguments.size()) refuse(option.get_name() + " needs a value");
    add_value(option, arguments[++next_]);
  }

  void read_long(const std::vector<std::string>& arguments) {
    const std::string& argument = arguments[next_];
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    if (argument == "--help" || argument == "--version") {
      stop_ = argument;
      return;
    }
    const CLI::Option& option = find(name, name);
    add(option);
    const bool takes_value = option.get_items_expected_max() > 0;
    if (equals < argument.size()) {
      if (!takes_value) refuse(name + " takes no value");
      add_value(option, argument.substr(equals + 1));
    } else if (takes_value) {
      add_next(option, arguments);
    }
  }

  // "-f", "-fq", "-oFILE", "-o FILE".
  void read_short(const std::vector<std::string>& arguments) {
    const std::string argument = arguments[next_];
    for (size_t i = 1; i < argument.size(); ++i) {
      const std::string name = {'-', argument[i]};
      if (name == "-h") {
        stop_ = "--help";
        return;
      }
      const CLI::Option& option = find(name, argument);
      add(option);
      if (option.get_items_expected_max() == 0) continue;
      if (i + 1 < argument.size()) {
        add_value(option, argument.substr(i + 1));
      } else {
        add_next(option, arguments);
      }
      return;
    }
  }

  void check_operands() const {
    size_t expected = 0;
    for (const CLI::Option* option : command_.get_options()) {
      if (option->get_positional()) expected += static_cast<size_t>(option->get_items_expected_max());
    }
    if (operands_.size() <= expected) return;
    const auto has = [&](const char* name) { return command_.get_option_no_throw(name) != nullptr; };
    const bool takes_file = has("IN") || has("FILE");
    const std::string loop = "one at a time: for f in *; do vershina " + command_.get_name() + " ... \"$f\"; done";
    refuse("unexpected argument " + quote_name(operands_[expected]), takes_file ? loop : "");
  }

  const CLI::App& command_;
  size_t next_ = 0;
  std::string stop_;  // "--help" or "--version", where one was met
  std::vector<const CLI::Option*> given_;
  std::vector<std::string> options_;
  std::vector<std::string> operands_;
};

std::vector<std::string> read_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return arguments;
  const std::string& first = arguments[0];
  if (first.starts_with('-')) {
    if (first == "--help" || first == "-h" || first == "--version") return {first};
    throw Failure(ExitCode::usage, "unknown option " + quote_name(first), "see `vershina --help`");
  }
  Reader reader(find_command(app, first));
  reader.read({arguments.begin() + 1, arguments.end()});
  return reader.result();
}

}  // namespace

const CLI::App& find_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names, longer;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return *command;
    names.push_back(command->get_name());
    if (!name.empty() && names.back().starts_with(name)) longer.push_back(names.back());
  }
  std::string advice = advice_for_foreign_name("command", lower_case(name));
  const std::string meant = longer.size() == 1 ? longer[0] : nearest(lower_case(name), names);
  if (advice.empty()) advice = meant.empty() ? "see `vershina --help`" : "did you mean " + meant + "?";
  throw Failure(ExitCode::usage, "unknown command " + quote_name(name), advice);
}

std::vector<std::string> take_arguments(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> arguments = read_arguments(app, words_without_keys(argc, argv));
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

std::string unmark(std::string argument) {
  if (argument.starts_with(kMark) && is_bracketed(argument)) argument.erase(0, 1);
  return argument;
}

std::vector<std::string> unmark(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) argument = unmark(std::move(argument));
  return arguments;
}

}  // namespace vsh::cli
