// Locates files that the library can make again: measured costs, compiled device programs.
#pragma once

#include <string>
#include <string_view>

namespace vsh {

// Reads an environment variable. Empty if it is unset, or if the program has more rights than its caller (set-user-ID).
std::string_view environment(const char* name) noexcept;

// Returns $XDG_CACHE_HOME/vershina, else ~/.cache/vershina; empty if neither is known.
std::string user_cache_directory();

}  // namespace vsh
