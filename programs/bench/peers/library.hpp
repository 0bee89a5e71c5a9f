// A shared library loaded by name, and its functions.
#pragma once

#include <string>
#include <vector>

#include <dlfcn.h>

#include "peer.hpp"

namespace vsh::bench {

class Library {
 public:
  // Loads the first of `names` that opens. It stays loaded until the process ends: engines and thread pools inside
  // peers register handlers that must not vanish. `all` is the name in the message if none opens.
  Library(const std::filesystem::path& dir, const std::vector<std::string>& names, const std::string& all) {
    for (const std::string& name : names) {
      const std::string path = dir.empty() ? name : (dir / name).string();
      handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) return;
    }
    throw Absent{all + " not found" + (dir.empty() ? "" : " in " + dir.string())};
  }

  // Sets `function` to its address. Throws Absent.
  template <class F>
  void get(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (!function) throw Absent{std::string(name) + " is not in the library"};
  }
  // Likewise; leaves null if it is absent.
  template <class F>
  void get_optional(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace vsh::bench
