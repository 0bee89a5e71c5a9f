// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string_view>
#if !defined(__linux__)
#include <unistd.h>
#endif

namespace vsh::cli {

// Returns an empty text if it is unset, or if the program has rights (set-user-ID) that its caller has not.
inline std::string_view environment(const char* name) noexcept {
#if defined(__linux__)
  const char* const value = ::secure_getenv(name);
#else
  const char* const value = ::issetugid() ? nullptr : std::getenv(name);
#endif
  return value ? value : "";
}

}  // namespace vsh::cli
