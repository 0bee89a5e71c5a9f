// Enumeration of OpenCL devices.
#include <unistd.h>

#include <cstdio>

#include "core/decimal.hpp"
#include "gpu/opencl/device.hpp"

namespace vsh::gpu::opencl {
namespace {

// Returns the string from get(size, value, size_needed).
template <class Get>
std::string read_text(Get&& get) {
  size_t len = 0;
  if (get(0, nullptr, &len) != CL_SUCCESS || len == 0) return "";
  std::string text(len, '\0');
  if (get(len, text.data(), nullptr) != CL_SUCCESS) return "";
  return text.substr(0, text.find('\0'));
}

std::string platform_text(const Functions& cl, cl_platform_id platform, cl_uint what) {
  return read_text([&](size_t len, void* value, size_t* needed) {
    return cl.clGetPlatformInfo(platform, what, len, value, needed);
  });
}

std::string device_text(const Functions& cl, cl_device_id device, cl_uint what) {
  return read_text(
      [&](size_t len, void* value, size_t* needed) { return cl.clGetDeviceInfo(device, what, len, value, needed); });
}

template <class T>
T device_number(const Functions& cl, cl_device_id device, cl_uint what) {
  T number = 0;
  return cl.clGetDeviceInfo(device, what, sizeof number, &number, nullptr) == CL_SUCCESS ? number : 0;
}

// "0000:3b:00.0", as for CUDA devices; empty where the driver does not report it.
std::string bus_place(const Functions& cl, cl_device_id device) {
  struct {
    cl_uint domain, bus, device, function;  // cl_device_pci_bus_info_khr
  } info{};
  struct {
    cl_uint type;
    uint8_t unused[17], bus, device, function;
  } topology{};  // cl_device_topology_amd, whose type 1 is PCI Express
  constexpr cl_uint kTopologyAmd = 0x4037;
  if (cl.clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof info, &info, nullptr) != CL_SUCCESS) {
    if (cl.clGetDeviceInfo(device, kTopologyAmd, sizeof topology, &topology, nullptr) != CL_SUCCESS) return "";
    if (topology.type != 1) return "";
    info = {0, topology.bus, topology.device, topology.function};
  }
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", info.domain & 0xffffu, info.bus & 0xffu, info.device & 0xffu,
                info.function & 0xfu);
  return text;
}

// "OpenCL 1.2 …" and later.
bool is_recent(const std::string& version) {
  constexpr std::string_view kPrefix = "OpenCL ";
  return version.size() >= kPrefix.size() + 3 && version.starts_with(kPrefix) && version.substr(7, 3) >= "1.2";
}

// Returns the reason why the device cannot be used, or an empty string.
std::string unfit(const Functions& cl, cl_device_id id) {
  if (!device_number<cl_bool>(cl, id, CL_DEVICE_AVAILABLE)) return "the driver says that it is not available";
  if (!is_recent(device_text(cl, id, CL_DEVICE_VERSION))) return "it is older than OpenCL 1.2";
  if (!device_number<cl_bool>(cl, id, CL_DEVICE_ENDIAN_LITTLE)) return "it is big-endian";
  if (!device_number<cl_bool>(cl, id, CL_DEVICE_COMPILER_AVAILABLE)) return "its driver has no compiler";
  if (device_number<size_t>(cl, id, CL_DEVICE_MAX_WORK_GROUP_SIZE) < kGroup) return "its work groups are too small";
  return "";
}

Found describe(const Functions& cl, cl_platform_id platform, cl_device_id id, const std::string& name) {
  Found found;
  found.platform = platform;
  found.id = id;
  found.vendor = platform_text(cl, platform, CL_PLATFORM_VENDOR);
  found.max_allocation = device_number<cl_ulong>(cl, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  found.info.id = name;
  found.info.name = device_text(cl, id, CL_DEVICE_NAME);
  found.info.driver = platform_text(cl, platform, CL_PLATFORM_NAME) + " " + device_text(cl, id, CL_DRIVER_VERSION);
  found.info.architecture = device_text(cl, id, CL_DEVICE_OPENCL_C_VERSION);
  found.info.memory = device_number<cl_ulong>(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE);
  found.info.units = device_number<cl_uint>(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS);
  // Accelerators count as processors: those that compile at run time are emulators on the processor.
  found.info.is_processor = !(device_number<cl_bitfield>(cl, id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU);
  found.info.bus = bus_place(cl, id);
  found.identity = "opencl\n" + found.vendor + "\n" + platform_text(cl, platform, CL_PLATFORM_VERSION) + "\n" +
                   found.info.driver + "\n" + found.info.name + "\n" + device_text(cl, id, CL_DEVICE_VERSION);
  return found;
}

// Returns the handles listed by get(capacity, handles, count). Any failure is an empty list: a platform without devices
// says CL_DEVICE_NOT_FOUND, a loader without platforms CL_PLATFORM_NOT_FOUND_KHR.
template <class Handle, class Get>
std::vector<Handle> read_list(Get&& get) {
  cl_uint count = 0;
  if (get(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<Handle> handles(count);
  if (count == 0 || get(count, handles.data(), nullptr) != CL_SUCCESS) return {};
  return handles;
}

}  // namespace

std::vector<Found> find_devices(bool tried, std::vector<std::string>& problems) {
  const Functions& cl = functions();
  std::vector<Found> all;
  const auto platforms = read_list<cl_platform_id>(cl.clGetPlatformIDs);
  // Drivers for the processor read /sys (hwloc); without it, in a plain chroot, PoCL calls abort().
  if (!tried && !platforms.empty() && ::access("/sys/devices/system/cpu", F_OK) != 0)
    throw Error(Error::Kind::driver, "OpenCL: /sys is not mounted, and without it drivers may abort the process");
  for (size_t p = 0; p < platforms.size(); ++p) {
    const auto devices = read_list<cl_device_id>([&](cl_uint capacity, cl_device_id* ids, cl_uint* count) {
      return cl.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, capacity, ids, count);
    });
    for (size_t d = 0; d < devices.size(); ++d) {
      const std::string name = "opencl:" + decimal(static_cast<int64_t>(p)) + "." + decimal(static_cast<int64_t>(d));
      const std::string problem = unfit(cl, devices[d]);
      if (problem.empty()) all.push_back(describe(cl, platforms[p], devices[d], name));
      else problems.push_back(name + ": " + problem);
    }
  }
  return all;
}

}  // namespace vsh::gpu::opencl
