// Keys on the command line (--key-hex), removed before anything copies it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/common/system/secret_buffer.hpp"

namespace vsh::cli {

// Returns the words after the program's name, with a placeholder for each key. Overwrites the keys in argv, where `ps`
// would show them.
std::vector<std::string> words_without_keys(int argc, char** argv);

// Returns the text of a key, if it is not taken yet.
std::string_view text_of_key(const std::string& word);

// Moves out the key of a placeholder, as typed. Only once: no other copy remains.
SecretBuffer take_key(const std::string& word);

}  // namespace vsh::cli
