// The part of vsh_device_selftest that holds a device to the standards.
#pragma once

#include <string>

#include "gpu/device/device.hpp"

namespace vsh::api::selftest {

// Empty, or what came out wrong. Throws gpu::Error where the device cannot do it.
std::string device_failure(gpu::Device& device);

}  // namespace vsh::api::selftest
