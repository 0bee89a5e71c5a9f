// Runs examples of the standards on a device, for vsh_device_selftest.
#pragma once

#include <string>

#include "gpu/device/device.hpp"

namespace vsh::api::selftest {

// Returns the failed example, or an empty text. Throws gpu::Error if the device cannot run it.
std::string device_failure(gpu::Device& device);

}  // namespace vsh::api::selftest
