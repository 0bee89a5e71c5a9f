#include "gpu/device/shared_library.hpp"

#include <dlfcn.h>

namespace vsh::gpu {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) noexcept {
  for (const char* name : names)
    if ((handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))) return;
}

void* SharedLibrary::symbol(const char* name) const noexcept { return handle_ ? ::dlsym(handle_, name) : nullptr; }

}  // namespace vsh::gpu
