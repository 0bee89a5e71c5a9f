// The devices in use if several drivers list the same one: the fake CUDA driver, and fake OpenCL platforms.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "gpu/opencl/api.hpp"
#include "in_process.hpp"

namespace vsh::gpu {
namespace {

// OpenCL platforms of three drivers: NVIDIA's GPU, another one that Mesa lists a second time, an emulator.
namespace fake {

using namespace opencl;

template <class Handle>
Handle handle(uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

struct Shown {
  uintptr_t platform;
  const char* vendor;
  int64_t type;
  cl_uint bus;  // 0: not told
};
constexpr Shown kShown[] = {{1, "NVIDIA Corporation", CL_DEVICE_TYPE_GPU, 0},
                            {2, "A vendor", CL_DEVICE_TYPE_GPU, 0x41},
                            {2, "A vendor", CL_DEVICE_TYPE_GPU, 0x41},
                            {3, "Mesa", CL_DEVICE_TYPE_GPU, 0x41},
                            {3, "Mesa", CL_DEVICE_TYPE_GPU, 1},
                            {3, "Mesa", 1 << 3, 0}};  // CL_DEVICE_TYPE_ACCELERATOR

cl_int put(const void* from, size_t from_len, size_t len, void* value, size_t* needed) {
  if (needed) *needed = from_len;
  if (value && len < from_len) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, from, from_len);
  return CL_SUCCESS;
}
cl_int put_text(const char* text, size_t len, void* value, size_t* needed) {
  return put(text, std::strlen(text) + 1, len, value, needed);
}

cl_int device_ids(cl_platform_id platform, cl_bitfield, cl_uint capacity, cl_device_id* ids, cl_uint* count) {
  cl_uint num = 0;
  for (const Shown& shown : kShown) {
    if (handle<cl_platform_id>(shown.platform) != platform) continue;
    if (num < capacity) ids[num] = handle<cl_device_id>(reinterpret_cast<uintptr_t>(&shown));
    ++num;
  }
  if (count) *count = num;
  return CL_SUCCESS;
}

cl_int device_info(cl_device_id device, cl_uint what, size_t len, void* value, size_t* needed) {
  const auto& shown = *reinterpret_cast<const Shown*>(device);
  const cl_uint bus[4] = {0, shown.bus, 0, 0};
  const cl_ulong number = what == CL_DEVICE_TYPE ? static_cast<cl_ulong>(shown.type) : 1024;
  switch (what) {
    case CL_DEVICE_VERSION: return put_text("OpenCL 3.0 fake", len, value, needed);
    case CL_DEVICE_PCI_BUS_INFO_KHR:
      return shown.bus ? put(bus, sizeof bus, len, value, needed) : static_cast<cl_int>(CL_INVALID_VALUE);
    case CL_DEVICE_NAME:
    case CL_DRIVER_VERSION:
    case CL_DEVICE_OPENCL_C_VERSION: return put_text("fake", len, value, needed);
    case 0x4037: return CL_INVALID_VALUE;  // CL_DEVICE_TOPOLOGY_AMD
    default: return put(&number, std::min(len, sizeof number), len, value, needed);
  }
}

void show() {
  auto& table = const_cast<Functions&>(functions());
  table.clGetPlatformIDs = [](cl_uint capacity, cl_platform_id* ids, cl_uint* count) -> cl_int {
    for (cl_uint i = 0; i < capacity && i < 3; ++i) ids[i] = handle<cl_platform_id>(i + 1);
    if (count) *count = 3;
    return CL_SUCCESS;
  };
  table.clGetPlatformInfo = [](cl_platform_id platform, cl_uint, size_t len, void* value, size_t* needed) {
    for (const Shown& shown : kShown)
      if (handle<cl_platform_id>(shown.platform) == platform) return put_text(shown.vendor, len, value, needed);
    return static_cast<cl_int>(CL_INVALID_VALUE);
  };
  table.clGetDeviceIDs = device_ids;
  table.clGetDeviceInfo = device_info;
}

}  // namespace fake

// The fake's only GPU is on bus 1. Two devices of one platform on one bus are two, as with MIG.
TEST(FakeCuda, WorkersAreGpusAndEachOnce) {
  if (::access("/sys/devices/system/cpu", F_OK) != 0) GTEST_SKIP() << "/sys is not mounted: OpenCL is not asked";
  in_process({}, [] {
    fake::show();
    EXPECT_EQ(list_devices().devices.size(), 1 + std::size(fake::kShown));
    EXPECT_EQ(worker_ids(), (std::vector<std::string>{"cuda:0", "opencl:1.0", "opencl:1.1"}));
    EXPECT_EQ(list_devices().devices[2].bus, "0000:41:00.0");
    EXPECT_TRUE(list_devices().devices.back().is_processor);
  });
}

}  // namespace
}  // namespace vsh::gpu
