#include "programs/common/options/command_line_keys.hpp"

#include <cstring>
#include <string_view>
#include <utility>

namespace vsh::cli {
namespace {

std::vector<SecretBuffer> keys;

std::string word_for(size_t number) { return "<key " + std::to_string(number + 1) + ">"; }

std::string hide(char* key) {
  const size_t len = std::strlen(key);
  keys.emplace_back(len);
  if (len > 0) std::memcpy(keys.back().data(), key, len);
  std::memset(key, 'x', len);
  return word_for(keys.size() - 1);
}

}  // namespace

std::vector<std::string> words_without_keys(int argc, char** argv) {
  static constexpr std::string_view option = "--key-hex", option_with_value = "--key-hex=";
  std::vector<std::string> words;
  bool is_key = false, is_operand = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_key = !is_operand && argument.starts_with(option_with_value);
    if (is_key) words.push_back(hide(argv[i]));
    else if (has_key) words.push_back(std::string(option_with_value) + hide(argv[i] + option_with_value.size()));
    else words.emplace_back(argument);
    is_operand = is_operand || (!is_key && argument == "--");
    is_key = !is_key && !is_operand && argument == option;
  }
  return words;
}

std::string_view text_of_key(const std::string& word) {
  for (size_t i = 0; i < keys.size(); ++i)
    if (word == word_for(i)) return {reinterpret_cast<const char*>(keys[i].data()), keys[i].size()};
  return {};
}

SecretBuffer take_key(const std::string& word) {
  for (size_t i = 0; i < keys.size(); ++i)
    if (word == word_for(i)) return std::move(keys[i]);
  return SecretBuffer(0);
}

}  // namespace vsh::cli
