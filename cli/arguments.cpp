#include "arguments.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace vsh::cli {
namespace {

constexpr char kMark = '\1';

// Marks before brackets count as well, so that marking can be undone for every name.
bool is_bracketed(std::string_view argument) {
  argument.remove_prefix(std::min(argument.find_first_not_of(kMark), argument.size()));
  return argument.starts_with('[') && argument.ends_with(']');
}

void hide(char* secret) { std::memset(secret, 'x', std::strlen(secret)); }

}  // namespace

std::vector<std::string> take_arguments(int argc, char** argv) {
  static constexpr std::string_view commands[] = {"hash", "mac", "encrypt", "decrypt"};
  static constexpr std::string_view key_option = "--key-hex", key_option_value = "--key-hex=";
  const bool has_file_names =
      argc > 1 && std::find(std::begin(commands), std::end(commands), argv[1]) != std::end(commands);
  std::vector<std::string> arguments;
  bool is_key = false;
  for (int i = 1; i < argc; ++i) {
    arguments.push_back(has_file_names && is_bracketed(argv[i]) ? kMark + std::string(argv[i]) : argv[i]);
    if (is_key) hide(argv[i]);
    is_key = argv[i] == key_option;
    if (std::string_view(argv[i]).starts_with(key_option_value)) hide(argv[i] + key_option_value.size());
  }
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
