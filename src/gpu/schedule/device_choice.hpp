// The caller's choice of devices or processor: read once, a value after that.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"

namespace vsh::gpu {

struct DeviceChoice {
  enum class Kind {
    processor,  // "cpu"
    automatic,  // "auto": devices if they were measured to pay
    all,        // every device and the processor, whatever was measured
    named       // "cuda:0", "opencl:1.0": that device, or an error
  } kind = Kind::processor;
  std::array<char, 17> word = {};  // of the named device, up to "opencl:9999.9999"

  bool is_named() const noexcept { return kind == Kind::named; }
  std::string_view id() const noexcept { return word.data(); }
};

// Text of an Error: a named device was chosen for what no device does.
inline constexpr const char* kNotForDevices = "chained modes and modes with key changes cannot run on a device";

// The processor's part when devices work.
enum class HostPolicy {
  share,     // its part of every request
  fallback,  // what devices that failed have left
  none       // nothing: if the devices fail, so does the request
};
HostPolicy host_policy(const DeviceChoice& choice) noexcept;

// Returns nothing for a word that names none of these.
std::optional<DeviceChoice> parse_device(std::string_view word) noexcept;

// Returns what `auto` may choose from: each physical device once, and OpenCL drivers for the processor. If nothing was
// measured, returns nothing and loads no driver.
std::vector<const DeviceInfo*> choosable_devices();

// Opens the devices of the choice and passes each to `use`: the named one; every one that can be opened; for `auto`
// those for which `useful` is true. Throws the Error of a named device, or of its use; errors of other devices
// are in gpu/device/last_error.hpp.
void for_chosen_devices(const DeviceChoice& choice, const std::function<bool(const DeviceInfo&)>& useful,
                        const std::function<void(Device&)>& use);

}  // namespace vsh::gpu
