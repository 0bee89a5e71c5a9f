#include "programs/vershina/files/libarchive.hpp"

#if VSH_WITH_ARCHIVE
#include <dlfcn.h>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

LibArchive load() {
  void* handle = ::dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  const char* missing = handle == nullptr ? "libarchive.so.13" : nullptr;
  LibArchive functions{};
#define VSH_LOAD(name)                                                                   \
  if (missing == nullptr) {                                                              \
    functions.name = reinterpret_cast<decltype(functions.name)>(::dlsym(handle, #name)); \
    if (functions.name == nullptr) missing = #name;                                      \
  }
  VSH_ARCHIVE_FUNCTIONS(VSH_LOAD)
#undef VSH_LOAD
  if (missing == nullptr) return functions;
  throw Failure(ExitCode::internal, tr("directories need libarchive, and {1} was not found", missing),
                tr("install the package libarchive13, or use tar and the name - for a stream"));
}

}  // namespace

const LibArchive& libarchive() {
  static const LibArchive functions = load();
  return functions;
}

}  // namespace vsh::cli
#endif
