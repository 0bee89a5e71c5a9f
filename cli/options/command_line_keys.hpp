// Keys on the command line (--key-hex): taken out of it before anything copies it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/system/secret_buffer.hpp"

namespace vsh::cli {

// The words behind the program's name, where a word of its own stands for each key. Overwrites the keys in argv, where
// `ps` would show them.
std::vector<std::string> words_without_keys(int argc, char** argv);

// What was typed for a key, while it is still there.
std::string_view text_of_key(const std::string& word);

// The key that a word stands for, as it was typed. Once: then it is nowhere else.
SecretBuffer take_key(const std::string& word);

}  // namespace vsh::cli
