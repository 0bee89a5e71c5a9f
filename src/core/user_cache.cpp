#include "core/user_cache.hpp"

#include <cstdlib>
#if !defined(__linux__)
#include <unistd.h>
#endif

namespace vsh {

std::string_view environment(const char* name) noexcept {
#if defined(__linux__)
  const char* const value = ::secure_getenv(name);
#else
  const char* const value = ::issetugid() ? nullptr : std::getenv(name);
#endif
  return value ? value : "";
}

std::string user_cache_directory() {
  const std::string_view caches = environment("XDG_CACHE_HOME"), home = environment("HOME");
  // The XDG base directory specification: a relative path there is to be ignored.
  const std::string directory = caches.starts_with('/') ? std::string(caches)
                                : home.starts_with('/') ? std::string(home) + "/.cache"
                                                        : "";
  return directory.empty() ? "" : directory + "/vershina";
}

}  // namespace vsh
