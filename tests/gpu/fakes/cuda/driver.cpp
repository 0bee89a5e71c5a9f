// The fake's libcuda.so.1: driver, devices, contexts.
#include "driver.hpp"

#include "../misbehave.hpp"

#include <cstring>
#include <list>

using namespace fake_cuda;
using namespace vsh::gpu::cuda;

namespace {

const char* name_of(CUresult status) {
  switch (status) {
    case CUDA_SUCCESS: return "CUDA_SUCCESS";
    case CUDA_ERROR_OUT_OF_MEMORY: return "CUDA_ERROR_OUT_OF_MEMORY";
    case CUDA_ERROR_INVALID_IMAGE: return "CUDA_ERROR_INVALID_IMAGE";
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return "CUDA_ERROR_NO_BINARY_FOR_GPU";
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    case kNotInitialized: return "CUDA_ERROR_NOT_INITIALIZED";
    case kIllegalAddress: return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case kLaunchFailed: return "CUDA_ERROR_LAUNCH_FAILED";
    default: return nullptr;
  }
}

}  // namespace

std::shared_ptr<Stream> Device::find(CUstream stream) {
  const std::lock_guard lock(mutex);
  const auto number = reinterpret_cast<uintptr_t>(stream);
  if (number == 0 || number == kLegacyStream) return default_stream;
  if (number == kStreamOfThread) {
    std::shared_ptr<Stream>& own = streams_of_threads[std::this_thread::get_id()];
    if (!own) own = std::make_shared<Stream>(is_lazy());
    return own;
  }
  const auto found = streams.find(stream);
  if (found != streams.end()) return found->second;
  Memory::instance().complain("a stream was used that is not there");
  return nullptr;
}

bool Device::has(Event* event) {
  const std::lock_guard lock(mutex);
  if (events.contains(event)) return true;
  Memory::instance().complain("an event was used that is not there");
  return false;
}

void Device::wait() {
  std::vector<std::shared_ptr<Stream>> all{default_stream};
  {
    const std::lock_guard lock(mutex);
    for (const auto& [handle, stream] : streams) all.push_back(stream);
    for (const auto& [thread, stream] : streams_of_threads) all.push_back(stream);
  }
  for (const auto& stream : all) stream->wait();
}

std::vector<Device*>& fake_cuda::devices() {
  static auto& all = *new std::vector<Device*>([] {
    std::vector<Device*> made;
    for (int i = 0; i < setting("FAKE_CUDA_DEVICES", 1); ++i) {
      made.push_back(new Device);
      made.back()->ordinal = i;
    }
    return made;
  }());
  return all;
}

FAKE_CUDA_API CUresult cuInit(unsigned) {
  fakes::misbehave("FAKE_CUDA_START");
  const auto status = static_cast<CUresult>(setting("FAKE_CUDA_INIT", 0));
  if (status == CUDA_SUCCESS && devices().empty()) return CUDA_ERROR_NO_DEVICE;
  if (status == CUDA_SUCCESS) initialised_in = ::getpid();
  return status;
}

FAKE_CUDA_API CUresult cuDriverGetVersion(int* version) {
  *version = its_version();
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuGetErrorName(CUresult status, const char** name) {
  *name = name_of(status);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FAKE_CUDA_API CUresult cuDeviceGetCount(int* count) {
  if (const CUresult status = readiness()) return status;
  *count = static_cast<int>(devices().size());
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= devices().size()) return kInvalidDevice;
  *device = ordinal;
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuDeviceGetName(char* name, int len, CUdevice) {
  std::strncpy(name, "Fake CUDA driver, no GPU", static_cast<size_t>(len));
  name[len - 1] = '\0';
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuDeviceGetAttribute(int* value, int which, CUdevice device) {
  const auto capability = static_cast<int>(setting("FAKE_CUDA_CAPABILITY", 90));
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = capability / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = capability % 10; break;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: *value = device + 1; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = static_cast<size_t>(setting("FAKE_CUDA_MEMORY", 1l << 30));
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (const CUresult status = readiness()) return status;
  *context = reinterpret_cast<CUcontext>(devices()[static_cast<size_t>(device)]);
  return CUDA_SUCCESS;
}
#ifndef FAKE_CUDA_IS_OLD  // as drivers before CUDA 11.0
FAKE_CUDA_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
#endif

// Creates a caller's own context and makes it current. Never destroyed.
FAKE_CUDA_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  if (const CUresult status = readiness()) return status;
  static auto& all = *new std::list<Device>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Device& made = all.emplace_back();
  made.ordinal = device;
  contexts.push_back(&made);
  *context = reinterpret_cast<CUcontext>(&made);
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (const CUresult status = readiness()) return status;
  if (!context) return kInvalidContext;
  contexts.push_back(reinterpret_cast<Device*>(context));
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (contexts.empty()) return kInvalidContext;
  *context = reinterpret_cast<CUcontext>(contexts.back());
  contexts.pop_back();
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuCtxSynchronize() {
  return in_context([](Device& device) {
    device.wait();
    return device.sticky.load();
  });
}

// Used by NVIDIA's own NVRTC, if a machine has both.
FAKE_CUDA_API CUresult cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
