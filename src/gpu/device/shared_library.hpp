// A driver's library, opened at run time: the build links none, and runs if there is none.
#pragma once

#include <initializer_list>
#include <string>

namespace vsh::gpu {

class SharedLibrary {
 public:
  // Opens the first of `names` that can be opened; empty if none can. It stays open until the process ends: drivers
  // have threads, and handlers that run at exit.
  explicit SharedLibrary(std::initializer_list<const char*> names) noexcept;

  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // Returns false, and sets *function to null, if the library has none of that name.
  template <class F>
  bool load(F** function, const char* name) const noexcept {
    *function = reinterpret_cast<F*>(symbol(name));
    return *function != nullptr;
  }

 private:
  void* symbol(const char* name) const noexcept;

  void* handle_ = nullptr;
};

}  // namespace vsh::gpu
