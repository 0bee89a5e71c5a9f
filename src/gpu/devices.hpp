// The devices of this machine, of every back end. Nothing is opened, and no driver is loaded, before someone asks; what
// was opened stays until the process ends. Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"

namespace vsh::gpu {

struct Listing {
  std::vector<DeviceInfo> devices;    // CUDA's first
  std::vector<std::string> problems;  // what keeps a back end or a device from being used, a sentence each
};

// The check of vsh_device_set_check: decides before the drivers of a back end are used. Null: none.
using BackEndCheck = const char* (*)(const char* back_end);
void set_back_end_check(BackEndCheck check);

// Asked of the drivers once; the same ever after.
const Listing& list_devices();

// By its id, or by "opencl:P", short for "opencl:P.0". The same object for every caller. Throws Error: none_found, or
// why it cannot be opened.
Device& open_device(std::string_view id);

// Ids of what `auto` and `all` mean: each physical device once (CUDA's where both back ends show it, else that of the
// first platform that does), no processors.
std::vector<std::string> worker_ids();

}  // namespace vsh::gpu
