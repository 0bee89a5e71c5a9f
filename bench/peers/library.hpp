// A shared library opened by name, and its functions.
#pragma once

#include <initializer_list>
#include <string>

#include <dlfcn.h>

#include "peer.hpp"

namespace vsh::bench {

class Library {
 public:
  // The first of `names` that opens. It stays open until the process ends: engines and thread pools inside peers
  // register handlers that must not vanish.
  Library(const std::filesystem::path& dir, std::initializer_list<const char*> names) {
    std::string tried;
    for (const char* name : names) {
      const std::string path = dir.empty() ? name : (dir / name).string();
      handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) return;
      if (!tried.empty()) tried += ", ";
      tried += path;
    }
    throw Absent{tried + " not found"};
  }

  // Gives `function` its address. Throws Absent.
  template <class F>
  void get(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (!function) throw Absent{std::string(name) + " is not in the library"};
  }
  // Leaves null where it is absent.
  template <class F>
  void get_optional(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace vsh::bench
