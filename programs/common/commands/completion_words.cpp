#include "programs/common/commands/completion_words.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace vsh::cli {
namespace {

constexpr std::string_view kFileTypes[] = {"FILE", "OUT", "DIR"};

void add(Completion& to, const std::string& typed, const std::string& word, const std::string& description) {
  if (word.starts_with(typed)) to.candidates.push_back({word, description});
}

// Adds the values of an option or an operand. before: the beginning of the word ("--cipher=").
void add_values(Completion& to, const Option& option, const std::string& typed, const std::string& before = {}) {
  if (option.candidates()) {
    for (const std::string& name : option.candidates()()) add(to, before + typed, before + name, "");
    return;
  }
  to.files = option.is_operand() ||
             std::find(std::begin(kFileTypes), std::end(kFileTypes), option.type()) != std::end(kFileTypes);
}

void add_options(Completion& to, const Command& command, const std::string& typed) {
  for (const Option& option : command.options()) {
    if (option.is_operand()) continue;
    for (const bool is_long : {true, false}) {
      for (const std::string& name : option.names())
        if (name.starts_with("--") == is_long && (is_long || typed.size() < 2))
          add(to, typed, name, option.description());
    }
  }
  add(to, typed, "--version", "");  // common to all commands
}

// Adds the names of commands, and the options allowed in their place.
void add_commands(Completion& to, const Program& program, const std::string& typed) {
  for (const Command& command : program.commands()) add(to, typed, command.name(), command.description());
  if (!typed.starts_with('-')) return;
  for (const char* option : {"--help", "-h", "--version"}) add(to, typed, option, "");
}

// Turns "--cipher" "=" "ku" into "--cipher" "ku".
Texts without_equals_signs(const Texts& words) {
  Texts result;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool follows_option = i > 0 && words[i - 1].starts_with("--");
    if (words[i] != "=" || !follows_option) result.push_back(words[i]);
    else if (i + 1 == words.size()) result.emplace_back();
  }
  return result;
}

}  // namespace

Completion complete(const Program& program, Texts words) {
  Completion result;
  words = without_equals_signs(words);
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  words.pop_back();
  if (words.empty()) {
    add_commands(result, program, typed);
    return result;
  }
  const auto is_named = [&](const Command& c) { return c.name() == words[0]; };
  const auto command = std::find_if(program.commands().begin(), program.commands().end(), is_named);
  if (command == program.commands().end()) return result;

  const Option* waiting = nullptr;  // an option without its value so far
  bool operands_only = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (waiting != nullptr) {
      waiting = nullptr;
    } else if (words[i] == "--") {
      operands_only = true;
    } else if (!operands_only) {
      waiting = command->find(words[i]);
      if (waiting != nullptr && !waiting->takes_value()) waiting = nullptr;
    }
  }
  if (waiting != nullptr) {
    add_values(result, *waiting, typed);
    return result;
  }
  if (!operands_only && typed.starts_with('-')) {
    const size_t equals = typed.find('=');
    const Option* const option = equals == typed.npos ? nullptr : command->find(typed.substr(0, equals));
    if (equals == typed.npos) add_options(result, *command, typed);
    else if (option != nullptr) add_values(result, *option, typed.substr(equals + 1), typed.substr(0, equals + 1));
    return result;
  }
  for (const Option& option : command->options())
    if (option.is_operand()) add_values(result, option, typed);
  return result;
}

const char* completion_script(const std::string& shell) {
  static constexpr const char* bash =
#include "vershina_bash.inc"
      ;
  static constexpr const char* fish =
#include "vershina_fish.inc"
      ;
  static constexpr const char* zsh =
#include "vershina_zsh.inc"
      ;
  return shell == "bash" ? bash : shell == "fish" ? fish : shell == "zsh" ? zsh : nullptr;
}

}  // namespace vsh::cli
