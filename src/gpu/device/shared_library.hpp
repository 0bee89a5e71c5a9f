// A driver's library, opened at run time: this build knows none, and runs where there is none.
#pragma once

#include <initializer_list>
#include <string>

namespace vsh::gpu {

class SharedLibrary {
 public:
  // The first of `names` that can be opened; empty where none can. It stays open until the process ends: drivers have
  // threads, and handlers that run at exit.
  explicit SharedLibrary(std::initializer_list<const char*> names) noexcept;

  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // False, and *function null, where the library has none of that name.
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
