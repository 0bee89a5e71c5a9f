// What tests over devices share: which devices there are, and how to say that there is none.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "gpu/devices.hpp"

namespace vsh::test {

// Ids of the devices to test: all that this machine has. Empty after saying why.
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

  // f(device) for each.
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
