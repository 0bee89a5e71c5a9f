// Names of the algorithms in other programs.
#pragma once

#include <string>
#include <string_view>

namespace vsh::cli {

// Returns advice with this program's equivalent of a name in other programs ("in vershina this is `-c gost28147-cfb
// ...`"), or an empty string. what: "cipher", "hash", "MAC", "command", with the name in small letters; "option of
// hash".
std::string advice_for_foreign_name(std::string_view what, std::string_view name);

// Returns a name in small letters with its family as it is spelt here: "kuznyechik-ctr" for "grasshopper-ctr", also for
// the Russian word.
std::string usual_spelling(std::string_view name);

}  // namespace vsh::cli
