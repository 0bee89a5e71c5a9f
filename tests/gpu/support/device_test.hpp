// Shared by tests over devices: the list of devices, and skipping without any.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "gpu/devices.hpp"

namespace vsh::test {

// Returns ids of the devices to test: all of this machine. Empty after printing the reason.
inline std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const auto& info : gpu::list_devices().devices) ids.push_back(info.id);
  for (const auto& problem : gpu::list_devices().problems) std::cout << "not tested: " << problem << "\n";
  return ids;
}

// A test of each device. The skip is counted and named at the end of the program's output.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    ids_ = device_ids();
    if (ids_.empty()) GTEST_SKIP() << "no CUDA and no OpenCL device; pocl-opencl-icd makes one of the processor";
  }

  // Calls f(device) for each.
  template <class F>
  void for_each_device(F&& f) {
    for (const std::string& id : ids_) {
      SCOPED_TRACE(id);
      f(gpu::open_device(id));
    }
  }

 private:
  std::vector<std::string> ids_;
};

}  // namespace vsh::test
