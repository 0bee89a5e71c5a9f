#include "gpu/cuda/device.hpp"

#include <cstdio>

#include "core/decimal.hpp"
#include "gpu/cuda/compiler.hpp"

namespace vsh::gpu::cuda {
namespace {

// Any other status, in particular a fault in a kernel, leaves the context unusable.
bool says_lost(CUresult status) noexcept {
  // The caller's stream is being captured into a graph, which this library's work cannot join.
  if (status >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && status <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) return false;
  for (const int harmless : {CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_IMAGE,
                             CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_PTX, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                             CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_JIT_COMPILATION_DISABLED,
                             CUDA_ERROR_INVALID_SOURCE, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_FOUND,
                             CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_NOT_PERMITTED, CUDA_ERROR_NOT_SUPPORTED})
    if (status == harmless) return false;
  return true;
}

int attribute(const Functions& cu, int which, CUdevice device) {
  int value = 0;
  return cu.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

std::string bus_place(const Functions& cu, CUdevice device) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0",
                static_cast<unsigned>(attribute(cu, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device)) & 0xffffu,
                static_cast<unsigned>(attribute(cu, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device)) & 0xffu,
                static_cast<unsigned>(attribute(cu, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device)) & 0xffu);
  return text;
}

}  // namespace

std::vector<Found> find_devices(std::vector<std::string>& problems) {
  const Functions& cu = functions();
  std::vector<Found> all;
  int count = 0;
  if (const CUresult status = cu.cuDeviceGetCount(&count))
    throw Error(Error::Kind::driver, "CUDA: counting devices: " + error_name(cu, status));
  for (int i = 0; i < count; ++i) {
    Found found;
    found.info.id = "cuda:" + decimal(i);
    char name[256] = "";
    size_t memory = 0;
    CUresult status = cu.cuDeviceGet(&found.device, i);
    if (!status) status = cu.cuDeviceGetName(name, sizeof name, found.device);
    if (!status) status = cu.cuDeviceTotalMem_v2(&memory, found.device);
    if (status) {
      problems.push_back(found.info.id + ": " + error_name(cu, status));
      continue;
    }
    if (attribute(cu, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, found.device) == CU_COMPUTEMODE_PROHIBITED) {
      problems.push_back(found.info.id + ": its compute mode is `prohibited`");
      continue;
    }
    found.capability = 10 * attribute(cu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, found.device) +
                       attribute(cu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, found.device);
    found.info.name = name;
    found.info.driver = "CUDA " + version_text(driver_version());
    found.info.architecture = "sm_" + decimal(found.capability);
    found.info.memory = memory;
    found.info.bus = bus_place(cu, found.device);
    found.info.units = static_cast<unsigned>(attribute(cu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, found.device));
    all.push_back(found);
  }
  return all;
}

CudaDevice::CudaDevice(const Found& found)
    : cu_(functions()), device_(found.device), capability_(found.capability), info_(found.info), alive_(info_.id) {
  check(cu_.cuDevicePrimaryCtxRetain(&context_, device_), "making a context");
}

CudaDevice::~CudaDevice() {
  if (alive_.usable()) cu_.cuDevicePrimaryCtxRelease_v2(device_);
}

void CudaDevice::check(CUresult status, const char* doing) const {
  if (status == CUDA_SUCCESS) return;
  if (says_lost(status)) alive_.set_lost();
  throw Error(status == CUDA_ERROR_OUT_OF_MEMORY ? Error::Kind::memory
              : alive_.lost()                    ? Error::Kind::lost
                                                 : Error::Kind::driver,
              "CUDA: " + info_.id + ": " + doing + ": " + error_name(cu_, status));
}

std::shared_ptr<Program> CudaDevice::program(const std::string& name, const std::string& definitions) {
  alive_.require();
  return programs_.get(*this, name, definitions);
}

std::string CudaDevice::identity() const {
  return "cuda\n" + info_.name + "\n" + info_.architecture + "\n" + info_.driver;
}

std::string CudaDevice::compiler() const {
  try {
    return Compiler::for_device(capability_, driver_version()).name();
  } catch (const Error&) {
    return "";
  }
}

}  // namespace vsh::gpu::cuda
