#include "arguments.hpp"

#include <algorithm>
#include <string_view>

#include "command_line_keys.hpp"
#include "failure.hpp"
#include "text.hpp"

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

  const CLI::Option& find(const std::string& name, const std::string& argument) const {
    const CLI::Option* option = command_.get_option_no_throw(name);
    if (option != nullptr) return *option;
    refuse("unknown option " + quote_name(argument));
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

  void add_value(const CLI::Option& option, const std::vector<std::string>& arguments) {
    if (next_ + 1 == arguments.size()) refuse(option.get_name() + " needs a value");
    options_.push_back(mark(arguments[++next_]));
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
      options_.push_back(mark(argument.substr(equals + 1)));
    } else if (takes_value) {
      add_value(option, arguments);
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
        options_.push_back(mark(argument.substr(i + 1)));
      } else {
        add_value(option, arguments);
      }
      return;
    }
  }

  void check_operands() const {
    size_t expected = 0;
    for (const CLI::Option* option : command_.get_options()) {
      if (option->get_positional()) expected += static_cast<size_t>(option->get_items_expected_max());
    }
    if (operands_.size() > expected) refuse("unexpected argument " + quote_name(operands_[expected]));
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
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto command =
      std::find_if(commands.begin(), commands.end(), [&](const CLI::App* c) { return c->get_name() == first; });
  if (command == commands.end()) return arguments;
  if (first == "bench") {  // its options take lists, as CLI11 reads them
    const bool version = std::find(arguments.begin(), arguments.end(), "--version") != arguments.end();
    return version ? std::vector<std::string>{"--version"} : arguments;
  }
  Reader reader(**command);
  reader.read({arguments.begin() + 1, arguments.end()});
  return reader.result();
}

}  // namespace

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
