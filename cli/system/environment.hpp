// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string_view>
#if !defined(__linux__)
#include <unistd.h>
#endif

namespace vsh::cli {

// Empty where it is unset, or where the program has rights (set-user-ID) that whoever set it has not.
inline std::string_view environment(const char* name) noexcept {
#if defined(__linux__)
  const char* const value = ::secure_getenv(name);
#else
  const char* const value = ::issetugid() ? nullptr : std::getenv(name);
#endif
  return value ? value : "";
}

}  // namespace vsh::cli
