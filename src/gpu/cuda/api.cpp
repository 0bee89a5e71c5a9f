#include "gpu/cuda/api.hpp"

#include "core/decimal.hpp"
#include "gpu/device/liveness.hpp"
#include "gpu/device/shared_library.hpp"

namespace vsh::gpu::cuda {
namespace {

constexpr int kMinVersion = 11020;  // 11.2: the first whose compiler emits device code and lists its targets

struct Loaded {
  Functions functions;
  const char* missing = nullptr;
  bool found = false;
  CUresult status = CUDA_SUCCESS;
  int version = 0;
  Process process;
};

Loaded load() noexcept {
  Loaded loaded;
  const SharedLibrary library{"libcuda.so.1", "libcuda.so"};
  loaded.found = static_cast<bool>(library);
#define VSH_CUDA_LOAD(name, result, parameters) \
  if (!library.load(&loaded.functions.name, #name)) loaded.missing = #name;
  VSH_CUDA_FUNCTIONS(VSH_CUDA_LOAD)
#undef VSH_CUDA_LOAD
  if (!loaded.found || loaded.missing) return loaded;
  loaded.status = loaded.functions.cuInit(0);
  if (loaded.functions.cuDriverGetVersion(&loaded.version) != CUDA_SUCCESS) loaded.version = 0;
  return loaded;
}

const Loaded& loaded() {
  static const Loaded the_driver = load();
  return the_driver;
}

}  // namespace

const Functions& functions() {
  const Loaded& driver = loaded();
  if (!driver.found) throw Error(Error::Kind::none_found, "CUDA: there is no libcuda.so.1");
  if (!driver.process.is_this())
    throw Error(Error::Kind::lost, "CUDA: the driver was started before this process was forked, and stays behind");
  if (driver.missing)
    throw Error(Error::Kind::driver, std::string("CUDA: the driver is too old: it has no ") + driver.missing);
  if (driver.status == CUDA_ERROR_NO_DEVICE) throw Error(Error::Kind::none_found, "CUDA: the driver sees no device");
  if (driver.status != CUDA_SUCCESS)
    throw Error(Error::Kind::driver, "CUDA: the driver fails to start: " + error_name(driver.functions, driver.status));
  if (driver.version < kMinVersion)
    throw Error(Error::Kind::driver, "CUDA: the driver is too old: it is for CUDA " + version_text(driver.version) +
                                         ", and " + version_text(kMinVersion) + " is needed");
  return driver.functions;
}

int driver_version() { return loaded().version; }

std::string version_text(int version) { return decimal(version / 1000) + "." + decimal(version % 1000 / 10); }

std::string error_name(const Functions& functions, CUresult status) {
  const char* name = nullptr;
  return functions.cuGetErrorName(status, &name) == CUDA_SUCCESS && name ? name : "error " + decimal(status);
}

}  // namespace vsh::gpu::cuda
