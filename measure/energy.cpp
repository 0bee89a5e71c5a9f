#include "measure/energy.hpp"

#include <dlfcn.h>

namespace vsh::measure {

// The functions of nvml.h in use; all return 0 on success.
EnergyMeter::EnergyMeter(const std::string& bus) {
  if (bus.empty()) return;
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const auto init = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"));
  const auto find =
      reinterpret_cast<int (*)(const char*, void**)>(::dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
  const auto read = reinterpret_cast<Read>(::dlsym(library, "nvmlDeviceGetTotalEnergyConsumption"));
  if (init && find && read && init() == 0 && find(bus.c_str(), &device_) == 0) read_ = read;
}

std::optional<double> EnergyMeter::joules() const {
  unsigned long long millijoules = 0;
  if (!read_ || read_(device_, &millijoules) != 0) return {};
  return static_cast<double>(millijoules) / 1e3;
}

}  // namespace vsh::measure
