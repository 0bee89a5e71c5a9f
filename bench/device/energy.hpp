// What a device draws, from NVIDIA's management library (libnvidia-ml.so.1), opened at run time: nothing of it is
// needed where it is not there.
#pragma once

#include <optional>

#include "gpu/device/device.hpp"

namespace vsh::bench {

class EnergyMeter {
 public:
  // Of the device at that place on the bus; a meter that says nothing where the driver reports no energy.
  explicit EnergyMeter(const gpu::DeviceInfo& device);

  // Joules since the driver was loaded, of the whole board. Renewed some ten times a second.
  std::optional<double> joules() const;

 private:
  using Read = int (*)(void* device, unsigned long long* millijoules);
  Read read_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace vsh::bench
