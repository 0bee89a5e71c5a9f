// From the caller's word for devices to an engine's accelerator.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/accelerator.hpp"
#include "core/registry.hpp"
#include "gpu/device/device.hpp"

namespace vsh::gpu {

// What the caller wants to do the work.
struct DeviceChoice {
  enum class Kind {
    processor,  // "cpu"
    automatic,  // "auto": devices where they were measured to pay
    all,        // every device and the processor, whatever was measured
    named       // "cuda:0", "opencl:1.0": that device, or an error
  } kind = Kind::processor;
  std::string_view id = {};  // of the named device

  bool is_named() const noexcept { return kind == Kind::named; }
};

// Nothing for a word that can be none of these.
std::optional<DeviceChoice> parse_device(std::string_view word) noexcept;

// What `auto` may choose from: each physical device once, and OpenCL drivers for the processor. Where nothing was
// measured, nothing, and no driver is asked.
std::vector<const DeviceInfo*> choosable_devices();

// The devices of the choice, opened: the named one, or an Error; every one that can be; for `auto` those that `pays`
// says true of.
std::vector<Device*> open_devices(const DeviceChoice& choice, const std::function<bool(const DeviceInfo&)>& pays);

// What a context works with, and what it may have to do.
struct KeyMaterial {
  Algorithm algorithm;
  const void* round_keys;                 // kuznyechik::RoundKeys or magma::RoundKeys; not kept
  const void* tweak_keys;                 // of XTS, or null
  std::span<const Accelerator::Work> works;
};

// Null where the processor is to do everything. A named device throws Error where it is not there, does not work, or
// has nothing to do in any of the works; of others gpu/device/last_error.hpp has what is wrong. Throws std::bad_alloc.
std::shared_ptr<Accelerator> make_accelerator(const DeviceChoice& choice, const KeyMaterial& material);

}  // namespace vsh::gpu
