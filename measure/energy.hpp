// What a device draws, from NVIDIA's management library (libnvidia-ml.so.1), opened at run time: nothing of it is
// needed where it is not there.
#pragma once

#include <optional>
#include <string>

namespace vsh::measure {

class EnergyMeter {
 public:
  // bus: the device's place on the PCI bus, "0000:3b:00.0"; empty where it is not known. A meter that says nothing where
  // the driver reports no energy.
  explicit EnergyMeter(const std::string& bus);

  // Joules since the driver was loaded, of the whole board. Renewed some ten times a second.
  std::optional<double> joules() const;

 private:
  using Read = int (*)(void* device, unsigned long long* millijoules);
  Read read_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace vsh::measure
