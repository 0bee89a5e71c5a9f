// The table of commands, operands and options. It is declared once; arguments are parsed by it (arguments.hpp), help
// (help.hpp), completion and the options of the manual pages (tools/man1.py) are generated from it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "programs/common/text/exit_code.hpp"

namespace vsh::cli {

using Texts = std::vector<std::string>;

template <class Value>
constexpr bool is_list = false;
template <class Value>
constexpr bool is_list<std::vector<Value>> = true;

// An option or an operand of a command: its declaration, and its values on one command line.
class Option {
 public:
  enum class Kind { flag, value, operand };
  // Receives all values as typed. Throws Failure.
  using Take = std::function<void(const Texts&)>;

  // names: "-o,--output", or the name of an operand.
  Option(Kind kind, const std::string& names, std::string type, std::string description, bool repeats, Take take);

  // Each returns the option, so that declarations read as one line.
  Option* required();
  Option* needs(Option* other);
  Option* excludes(Option* other);  // and is excluded by it
  Option* describe(std::string description);
  // The text of the manual pages, where more is to be said than in help: tools/man1.py reads it from the source, the
  // program does not carry it.
  Option* manual(const char* /*text*/) { return this; }
  Option* offers(std::function<Texts()> candidates);  // for completion

  const Texts& names() const { return names_; }      // "-o", "--output"
  const std::string& name() const;                   // for messages: the first long name
  const std::string& type() const { return type_; }  // the word for its value: "FILE"; empty for operands
  const std::string& description() const { return description_; }
  bool is_operand() const { return kind_ == Kind::operand; }
  bool takes_value() const { return kind_ == Kind::value; }
  bool repeats() const { return repeats_; }
  bool is_required() const { return required_; }
  const std::vector<const Option*>& needed() const { return needed_; }
  const std::vector<const Option*>& excluded() const { return excluded_; }
  const std::function<Texts()>& candidates() const { return candidates_; }

  // Returns how often it was given, or the number of a list of operands.
  size_t count() const { return values_.size(); }
  void give(std::string value) { values_.push_back(std::move(value)); }
  void convert() const;

 private:
  Kind kind_;
  Texts names_;
  std::string type_, description_;
  bool repeats_, required_ = false;
  Take take_;
  std::vector<const Option*> needed_, excluded_;
  std::function<Texts()> candidates_;
  Texts values_;  // empty texts for a flag
};

// An exit code of a command; text: replaces the word of kExitCodes.
struct ExitStatus {
  ExitStatus(ExitCode which, std::string words = {}) : code(which), text(std::move(words)) {}
  ExitCode code;
  std::string text;
};

class Command {
 public:
  // program: the words before the name in messages and help, "vershina".
  Command(std::string program, std::string name, std::string description);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Adds an option with a value; type: its name in help.
  Option* add_option(const std::string& names, const std::string& type, const std::string& description, bool repeats,
                     Option::Take take);
  // Stores the text as typed; a vector grows by one each time the option is given.
  template <class Value>
  Option* add_option(const std::string& names, Value& value, const std::string& type, const std::string& description) {
    return add_option(names, type, description, is_list<Value>, assign(value));
  }
  template <class Value>
  Option* add_operand(const std::string& name, Value& value, const std::string& description) {
    return add({Option::Kind::operand, name, "", description, is_list<Value>, assign(value)});
  }
  Option* add_flag(const std::string& names, bool& value, const std::string& description);
  Option* add_flag(const std::string& names, int& count, const std::string& description);
  Option* add_flag(const std::string& names, const std::string& description, std::function<void()> take = {});

  // Shown below the options; the exit status comes after it.
  void footer(std::string text) { footer_ = std::move(text); }
  void exit_status(std::vector<ExitStatus> codes) { exit_status_ = std::move(codes); }

  // Called by run(): returns an ExitCode, or void for success.
  template <class Action>
  void action(Action action) {
    if constexpr (std::is_void_v<std::invoke_result_t<Action>>) {
      action_ = [action] {
        action();
        return ExitCode::ok;
      };
    } else {
      action_ = action;
    }
  }

  const std::string& name() const { return name_; }
  std::string full_name() const { return program_ + " " + name_; }  // "vershina encrypt"
  const std::string& description() const { return description_; }
  const std::string& footer() const { return footer_; }
  const std::vector<ExitStatus>& exit_status() const { return exit_status_; }
  // In order of declaration, --help first.
  const std::deque<Option>& options() const { return options_; }
  std::deque<Option>& options() { return options_; }
  const Option* find(const std::string& name) const;  // "-o", "--output", "IN"; null if there is none
  Option* find(const std::string& name) { return const_cast<Option*>(std::as_const(*this).find(name)); }

  // The options of the command line in order, repeated as often as given.
  const std::vector<const Option*>& given() const { return given_; }
  void give(Option& option, std::string value);

  // Converts the values, checks required and excluded combinations, and runs the action. Throws Failure.
  ExitCode run() const;

 private:
  template <class Value>
  static Option::Take assign(Value& value) {
    return [&value](const Texts& texts) {
      if constexpr (is_list<Value>) value = texts;
      else value = texts.back();
    };
  }
  Option* add(Option option);
  void check_requirements() const;

  std::string program_, name_, description_, footer_;
  std::vector<ExitStatus> exit_status_;
  std::deque<Option> options_;  // elements keep their addresses
  std::vector<const Option*> given_;
  std::function<ExitCode()> action_;
};

// Returns the advice to ask for help of a command or a program.
std::string see_help(const std::string& of);

// A program of several commands.
class Program {
 public:
  Program(std::string name, std::string description) : name_(std::move(name)), description_(std::move(description)) {}

  Command& add_command(const std::string& name, const std::string& description) {
    return commands_.emplace_back(name_, name, description);
  }
  void footer(std::string text) { footer_ = std::move(text); }

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& footer() const { return footer_; }
  const std::deque<Command>& commands() const { return commands_; }
  std::deque<Command>& commands() { return commands_; }

 private:
  std::string name_, description_, footer_;
  std::deque<Command> commands_;
};

}  // namespace vsh::cli
