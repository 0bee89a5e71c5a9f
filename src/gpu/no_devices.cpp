// In place of devices.cpp and the back ends in a build without devices (VSH_WITH_DEVICES): the list is empty.
#include <string>

#include "gpu/cuda/interop.hpp"
#include "gpu/devices.hpp"

namespace vsh::gpu {
namespace {

constexpr const char* kNoDevices = "this build has no devices";

}  // namespace

void set_back_end_check(BackEndCheck) {}

const Listing& list_devices() {
  static const Listing listing{{}, {kNoDevices}};
  return listing;
}

Device& open_device(std::string_view id) {
  throw Error(Error::Kind::none_found, "there is no device " + std::string(id) + "; " + kNoDevices);
}

std::vector<std::string> worker_ids() { return {}; }

// Never called, since no Device exists.
void require_memory(Device&, const void*, size_t) { throw Error(Error::Kind::none_found, kNoDevices); }
std::unique_ptr<Buffer> adopt_buffer(Device&, void*, size_t) { throw Error(Error::Kind::none_found, kNoDevices); }
std::unique_ptr<Queue> adopt_stream(Device&, void*) { throw Error(Error::Kind::none_found, kNoDevices); }

}  // namespace vsh::gpu
