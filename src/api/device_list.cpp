// C ABI of the list of devices and of their self-test.
#include <algorithm>
#include <cstring>

#include "api/arguments/context.hpp"
#include "api/selftest/device.hpp"
#include "gpu/device/last_error.hpp"
#include "gpu/devices.hpp"

using namespace vsh;

namespace {

vsh_device_info describe(const gpu::DeviceInfo& device) {
  const auto workers = gpu::worker_ids();
  vsh_device_info info{};
  info.id = device.id.c_str();
  info.name = device.name.c_str();
  info.back_end = device.id.starts_with("cuda:") ? "cuda" : "opencl";
  info.driver = device.driver.c_str();
  info.architecture = device.architecture.c_str();
  info.memory = device.memory;
  info.units = device.units;
  info.is_processor = device.is_processor;
  info.automatic = std::find(workers.begin(), workers.end(), device.id) != workers.end();
  return info;
}

}  // namespace

vsh_status vsh_device_read(size_t i, vsh_device_info* info, size_t info_size) {
  if (!info || info_size > sizeof *info) return VSH_E_ARGUMENT;
  return api::guarded([&] {
    const auto& devices = gpu::list_devices().devices;
    if (i >= devices.size()) return VSH_E_ARGUMENT;
    const vsh_device_info row = describe(devices[i]);
    std::memcpy(info, &row, info_size);
    return VSH_OK;
  });
}

const char* vsh_device_problem(size_t i) {
  const char* problem = nullptr;
  api::guarded([&] {
    const auto& problems = gpu::list_devices().problems;
    if (i < problems.size()) problem = problems[i].c_str();
    return VSH_OK;
  });
  return problem;
}

void vsh_device_set_check(vsh_device_check check) { gpu::set_back_end_check(check); }

vsh_status vsh_device_selftest(const char* id) {
  if (!id) return VSH_E_ARGUMENT;
  return api::guarded([&] {
    const std::string failure = api::selftest::device_failure(gpu::open_device(id));
    if (failure.empty()) return VSH_OK;
    gpu::set_last_error(failure);
    return VSH_E_SELFTEST;
  });
}
