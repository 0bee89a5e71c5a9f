#include "gpu/opencl/api.hpp"

#include "core/decimal.hpp"
#include "gpu/device/liveness.hpp"
#include "gpu/device/shared_library.hpp"

namespace vsh::gpu::opencl {
namespace {

struct Loaded {
  Functions functions;
  const char* missing = nullptr;
  bool found = false;
  Process process;
};

Loaded load() noexcept {
  Loaded loaded;
  const SharedLibrary library{"libOpenCL.so.1", "libOpenCL.so"};
  loaded.found = static_cast<bool>(library);
#define VSH_OPENCL_LOAD(name, result, parameters) \
  if (!library.load(&loaded.functions.name, #name)) loaded.missing = #name;
  VSH_OPENCL_FUNCTIONS(VSH_OPENCL_LOAD)
#undef VSH_OPENCL_LOAD
  return loaded;
}

}  // namespace

const Functions& functions() {
  static Loaded loaded = load();  // not const: tests insert functions that fail
  if (!loaded.found) throw Error(Error::Kind::none_found, "OpenCL: there is no libOpenCL.so.1");
  if (loaded.missing)
    throw Error(Error::Kind::driver, std::string("OpenCL: the loader is older than 1.2: it has no ") + loaded.missing);
  if (!loaded.process.is_this())
    throw Error(Error::Kind::lost, "OpenCL: its drivers were started before this process was forked, and stay behind");
  return loaded.functions;
}

std::string error_name(cl_int status) {
  // Listed before 0 and 1, which several names share.
#define VSH_OPENCL_NAME(name, value) \
  if (value < 0 && status == value) return #name;
  VSH_OPENCL_CONSTANTS(VSH_OPENCL_NAME)
#undef VSH_OPENCL_NAME
  return "error " + decimal(status);
}

void check(cl_int status, const char* doing, Error::Kind kind) {
  if (status == CL_SUCCESS) return;
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE)
    kind = Error::Kind::memory;
  throw Error(kind, std::string("OpenCL: ") + doing + ": " + error_name(status));
}

}  // namespace vsh::gpu::opencl
