// Where the library keeps files that it can make again: what tuning measured, compiled device programs.
#pragma once

#include <string>
#include <string_view>

namespace vsh {

// Of the environment. Empty where it is unset, or where the program has rights (set-user-ID) that whoever set it has
// not.
std::string_view environment(const char* name) noexcept;

// $XDG_CACHE_HOME/vershina, else ~/.cache/vershina; empty where neither is known.
std::string user_cache_directory();

}  // namespace vsh
