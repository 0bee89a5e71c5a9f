#include "cli/commands/completion_words.hpp"

#include <vershina/vershina.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "cli/commands/encrypt.hpp"
#include "cli/options/key_file.hpp"
#include "cli/openssl/pbkdf2.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

using Names = std::vector<std::string>;

template <class NameOf>
Names names_of(NameOf name_of) {
  Names names;
  for (size_t i = 0; name_of(i) != nullptr; ++i) names.emplace_back(name_of(i));
  return names;
}

Names kernels() {
  std::set<std::string> names;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i)
    if (info.runnable) names.insert(info.variant);
  return {names.begin(), names.end()};
}

Names devices() {
  Names names = {"cpu", "auto", "all"};
  vsh_device_info info;
  for (size_t i = 0; vsh_device(i, &info) == VSH_OK; ++i) names.emplace_back(info.id);
  return names;
}

// What the values of an option are, by the word that its help has for them. No word here: nothing is offered.
struct Kind {
  std::string_view type_name;
  bool files;
  Names (*names)();
};

constexpr Kind kKinds[] = {
    {"FILE", true, nullptr},
    {"OUT", true, nullptr},
    {"DIR", true, nullptr},
    {"CIPHER", false, cipher_names},
    {"HASH", false, [] { return names_of(vsh_hash_name); }},
    {"MAC", false, [] { return names_of(vsh_mac_name); }},
    {"SBOX", false, [] { return names_of(vsh_sbox_name); }},
    {"KERNEL", false, kernels},
    {"DEVICE", false, devices},
    {"DIGEST", false, openssl_digest_names},
    {"PADDING", false, padding_names},
    {"FORMAT", false, key_formats},
    {"SHELL", false, [] { return Names{"bash", "fish", "zsh"}; }},
};

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "-c" and "--cipher" alike.
const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  return command.get_option_no_throw(word);
}

void add(Completion& to, const std::string& typed, const std::string& word, const std::string& description) {
  if (!word.starts_with(typed)) return;
  std::string one_line = description;  // help folds it
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  to.candidates.push_back({word, one_line});
}

// The values of an option or an operand. before: what the word begins with ("--cipher=").
void add_values(Completion& to, const CLI::Option& option, const std::string& typed, const std::string& before = {}) {
  const std::string type_name = option.get_type_name();
  const bool is_operand = option.get_positional();
  for (const Kind& kind : kKinds) {
    if (type_name != kind.type_name) continue;
    to.files = kind.files;
    if (kind.names == nullptr) return;
    for (const std::string& name : kind.names()) add(to, before + typed, before + name, "");
    return;
  }
  to.files = is_operand && type_name.empty();  // IN and FILE of the commands
}

void add_options(Completion& to, const CLI::App& command, const std::string& typed) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    for (const std::string& name : option->get_lnames()) add(to, typed, "--" + name, option->get_description());
    for (const std::string& name : option->get_snames())
      if (typed.size() < 2) add(to, typed, "-" + name, option->get_description());
  }
  if (command.get_parent() != nullptr) add(to, typed, "--version", "");  // which every command knows
}

// Names of commands, and what may stand in place of one.
void add_commands(Completion& to, const CLI::App& app, const std::string& typed) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add(to, typed, command->get_name(), command->get_description());
  if (typed.starts_with('-')) add_options(to, app, typed);
}

// "--cipher" "=" "ku" becomes "--cipher" "ku", as if it had been typed so.
Names without_equals_signs(const Names& words) {
  Names result;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool follows_option = i > 0 && words[i - 1].starts_with("--");
    if (words[i] != "=" || !follows_option) result.push_back(words[i]);
    else if (i + 1 == words.size()) result.emplace_back();
  }
  return result;
}

}  // namespace

Completion complete(const CLI::App& app, std::vector<std::string> words) {
  Completion result;
  words = without_equals_signs(words);
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  words.pop_back();
  if (words.empty()) {
    add_commands(result, app, typed);
    return result;
  }
  const auto named = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == words[0]; });
  const CLI::App* const command = named.empty() ? nullptr : named.front();
  if (command == nullptr) return result;

  if (words[0] == "help" && words.size() == 1 && !typed.starts_with('-')) {
    add_commands(result, app, typed);
    return result;
  }

  const CLI::Option* waiting = nullptr;  // an option that has not got its value yet
  bool operands_only = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (waiting != nullptr) {
      waiting = nullptr;
    } else if (words[i] == "--") {
      operands_only = true;
    } else if (!operands_only) {
      waiting = find_option(*command, words[i]);
      if (waiting != nullptr && !takes_value(*waiting)) waiting = nullptr;
    }
  }
  if (waiting != nullptr) {
    add_values(result, *waiting, typed);
    return result;
  }
  if (!operands_only && typed.starts_with('-')) {
    const size_t equals = typed.find('=');
    const CLI::Option* const option = equals == typed.npos ? nullptr : find_option(*command, typed.substr(0, equals));
    if (equals == typed.npos) add_options(result, *command, typed);
    else if (option != nullptr) add_values(result, *option, typed.substr(equals + 1), typed.substr(0, equals + 1));
    return result;
  }
  for (const CLI::Option* option : command->get_options())
    if (option->get_positional()) add_values(result, *option, typed);
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
