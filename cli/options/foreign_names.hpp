// Names that other programs have for our algorithms.
#pragma once

#include <string>
#include <string_view>

namespace vsh::cli {

// "other programs call it so, here it is `-c gost28147-cfb ...`", or an empty string. what: "cipher", "hash", "MAC",
// "command", with the name in small letters; "option of hash".
std::string advice_for_foreign_name(std::string_view what, std::string_view name);

}  // namespace vsh::cli
