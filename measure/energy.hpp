// Energy of a device, from NVIDIA's management library (libnvidia-ml.so.1), which is optional and loaded at run time.
#pragma once

#include <optional>
#include <string>

namespace vsh::measure {

class EnergyMeter {
 public:
  // bus: the device's place on the PCI bus, "0000:3b:00.0"; empty if unknown. The meter has no values if the driver
  // reports no energy.
  explicit EnergyMeter(const std::string& bus);

  // Returns joules of the whole board since the driver was loaded. Updated about ten times a second.
  std::optional<double> joules() const;

 private:
  using Read = int (*)(void* device, unsigned long long* millijoules);
  Read read_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace vsh::measure
