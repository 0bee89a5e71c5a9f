// The fake's libcuda.so.1: memory, copies, streams, programs.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>

#include "driver.hpp"

using namespace fake_cuda;
using namespace vsh::gpu::cuda;

namespace {

// Enqueues work whose addresses must be valid when it runs.
template <class F>
CUresult add(CUstream stream, F&& work) {
  return in_context([&](Device& device) {
    const std::shared_ptr<Stream> asked = device.find(stream);
    if (!asked) return CUDA_ERROR_INVALID_HANDLE;
    asked->add([&device, work] {
      if (device.sticky == CUDA_SUCCESS && !work(device)) device.sticky = kIllegalAddress;
    });
    return CUDA_SUCCESS;
  });
}

uint8_t* pointer(CUdeviceptr at) { return reinterpret_cast<uint8_t*>(at); }
bool is_of(const Device& device, CUdeviceptr at, size_t len) {
  return Memory::instance().is_of(pointer(at), len, &device);
}

}  // namespace

FAKE_CUDA_API CUresult cuMemAlloc_v2(CUdeviceptr* at, size_t size) {
  return in_context([&](Device& device) {
    if (size == 0) return CUDA_ERROR_INVALID_VALUE;
    uint8_t* const p = Memory::instance().allocate(size, device.ordinal, &device);
    if (p) *at = reinterpret_cast<CUdeviceptr>(p);
    return p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

FAKE_CUDA_API CUresult cuMemFree_v2(CUdeviceptr at) {
  return in_context([&](Device& device) {
    device.wait();
    return Memory::instance().free(pointer(at), device.ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

FAKE_CUDA_API CUresult cuMemHostAlloc(void** p, size_t size, unsigned) {
  return in_context([&](Device& device) {
    *p = Memory::instance().allocate(size, kHost, &device);
    return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

FAKE_CUDA_API CUresult cuMemFreeHost(void* p) {
  return in_context([&](Device& device) {
    device.wait();
    return Memory::instance().free(p, kHost) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

// Page-locked memory is read when the copy runs, pageable memory at once.
FAKE_CUDA_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t len, CUstream stream) {
  const bool locked = Memory::instance().is_host(from, len);
  auto copy = std::make_shared<std::vector<uint8_t>>();
  if (!locked) copy->assign(static_cast<const uint8_t*>(from), static_cast<const uint8_t*>(from) + len);
  return add(stream, [=](Device& device) {
    if (!is_of(device, to, len)) return false;
    if (len) std::memcpy(pointer(to), locked ? from : copy->data(), len);
    return true;
  });
}

// Pageable memory is written before the call returns.
FAKE_CUDA_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t len, CUstream stream) {
  const CUresult status = add(stream, [=](Device& device) {
    if (!is_of(device, from, len)) return false;
    if (len) std::memcpy(to, pointer(from), len);
    return true;
  });
  if (status == CUDA_SUCCESS && !Memory::instance().is_host(to, len)) contexts.back()->find(stream)->wait();
  return status;
}

FAKE_CUDA_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t len, CUstream stream) {
  return add(stream, [=](Device& device) {
    if (!is_of(device, to, len)) return false;
    if (!is_of(device, from, len)) return false;
    if (len) std::memmove(pointer(to), pointer(from), len);
    return true;
  });
}

FAKE_CUDA_API CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, size_t count, CUstream stream) {
  if (at % 4) return CUDA_ERROR_INVALID_VALUE;
  return add(stream, [=](Device& device) {
    if (!is_of(device, at, 4 * count)) return false;
    for (size_t i = 0; i < count; ++i) std::memcpy(pointer(at) + 4 * i, &value, 4);
    return true;
  });
}

FAKE_CUDA_API CUresult cuPointerGetAttribute(void* value, int which, CUdeviceptr at) {
  const Allocation* const found = Memory::instance().find(pointer(at), 0);
  if (!found) return CUDA_ERROR_INVALID_VALUE;
  const auto put = [&](auto number) { std::memcpy(value, &number, sizeof number); };
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: put(found->context); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      put(found->device == kHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: put(0u); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: put(found->device == kHost ? 0 : found->device); break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: put(reinterpret_cast<CUdeviceptr>(found->begin)); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: put(found->size); break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return in_context([&](Device& device) {
    auto made = std::make_shared<Stream>(is_lazy());
    const std::lock_guard lock(device.mutex);
    *stream = reinterpret_cast<CUstream>(made.get());
    device.streams.emplace(*stream, std::move(made));
    return CUDA_SUCCESS;
  });
}

// Returns at once if an event still refers to it; its work is completed.
FAKE_CUDA_API CUresult cuStreamDestroy_v2(CUstream stream) {
  return in_context([&](Device& device) {
    const std::shared_ptr<Stream> ended = device.find(stream);  // goes after the lock
    const std::lock_guard lock(device.mutex);
    return device.streams.erase(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

FAKE_CUDA_API CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&](Device& device) {
    const std::shared_ptr<Stream> asked = device.find(stream);
    if (!asked) return CUDA_ERROR_INVALID_HANDLE;
    asked->wait();
    return device.sticky.load();
  });
}

FAKE_CUDA_API CUresult cuEventCreate(CUevent* event, unsigned) {
  return in_context([&](Device& device) {
    auto* const made = new Event;
    const std::lock_guard lock(device.mutex);
    device.events.insert(made);
    *event = reinterpret_cast<CUevent>(made);
    return CUDA_SUCCESS;
  });
}

FAKE_CUDA_API CUresult cuEventDestroy_v2(CUevent event) {
  return in_context([&](Device& device) {
    auto* const ended = reinterpret_cast<Event*>(event);
    if (!device.has(ended)) return CUDA_ERROR_INVALID_HANDLE;
    const std::lock_guard lock(device.mutex);
    device.events.erase(ended);
    delete ended;
    return CUDA_SUCCESS;
  });
}

// Both must be of the current context.
FAKE_CUDA_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&](Device& device) {
    auto* const recorded = reinterpret_cast<Event*>(event);
    const std::shared_ptr<Stream> asked = device.find(stream);
    if (!asked || !device.has(recorded)) return CUDA_ERROR_INVALID_HANDLE;
    *recorded = {asked, asked->mark()};
    return CUDA_SUCCESS;
  });
}

FAKE_CUDA_API CUresult cuEventSynchronize(CUevent event) {
  return in_context([&](Device& device) {
    auto* const awaited = reinterpret_cast<Event*>(event);
    if (!device.has(awaited)) return CUDA_ERROR_INVALID_HANDLE;
    const auto [stream, mark] = *awaited;
    if (stream) stream->wait_until(mark);
    return device.sticky.load();
  });
}

FAKE_CUDA_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, int*, void**) {
  return in_context([&](Device&) {
    fake_cuda::ImageHeader header;
    std::memcpy(&header, image, sizeof header.magic);
    const bool ptx = std::memcmp(header.magic, fake_cuda::kPtxMagic, sizeof header.magic) == 0;
    if (!ptx && std::memcmp(header.magic, fake_cuda::kMagic, sizeof header.magic) != 0) return CUDA_ERROR_INVALID_IMAGE;
    std::memcpy(&header, image, sizeof header);
    if (its_version() / 1000 < static_cast<int>(header.compiler_version) / 1000)
      return ptx ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (!ptx && header.capability != setting("FAKE_CUDA_CAPABILITY", 90)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    const int fd = ::memfd_create("fake-cuda", MFD_CLOEXEC);
    const bool written = fd >= 0 && ::write(fd, static_cast<const char*>(image) + sizeof header, header.len) ==
                                        static_cast<ssize_t>(header.len);
    void* const library =
        written ? ::dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library && fd >= 0) ::close(fd);  // else it stays, and its number: the loader knows libraries by their names
    if (!library) return CUDA_ERROR_INVALID_IMAGE;
    *module = static_cast<CUmodule>(library);
    return CUDA_SUCCESS;
  });
}

FAKE_CUDA_API CUresult cuModuleUnload(CUmodule module) {
  ::dlclose(module);
  return CUDA_SUCCESS;
}

FAKE_CUDA_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  *function = static_cast<CUfunction>(::dlsym(module, (std::string("host_kernel_") + name).c_str()));
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

FAKE_CUDA_API CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned group_x,
                                      unsigned group_y, unsigned group_z, unsigned shared, CUstream stream,
                                      void** arguments, void** extra) {
  if (x == 0 || y != 1 || z != 1 || group_y != 1 || group_z != 1 || shared != 0 || extra)
    return CUDA_ERROR_INVALID_VALUE;
  if (const long status = setting("FAKE_CUDA_LAUNCH_STATUS", 0)) return static_cast<CUresult>(status);
  const auto& kernel = *reinterpret_cast<const fake_cuda::HostKernel*>(function);
  std::vector<uint64_t> values(kernel.num_arguments);  // taken at once, as drivers do
  for (unsigned i = 0; i < kernel.num_arguments; ++i) std::memcpy(&values[i], arguments[i], kernel.sizes[i]);
  return add(stream, [=, &kernel](Device& device) {
    const long lost_after = setting("FAKE_CUDA_LOST_AFTER", -1);
    if (lost_after >= 0 && device.launches++ >= lost_after) {
      device.sticky = kLaunchFailed;
      return true;
    }
    std::vector<uint64_t> own = values;
    std::vector<void*> pointers;
    for (unsigned i = 0; i < kernel.num_arguments; ++i) {
      const bool buffer = kernel.is_pointer[i] && values[i] != 0;
      if (buffer && !is_of(device, values[i], 0)) return false;
      pointers.push_back(&own[i]);
    }
    kernel.run(pointers.data(), uint64_t{x} * group_x);
    return true;
  });
}
