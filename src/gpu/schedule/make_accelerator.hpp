// Makes the accelerator of an engine from devices of the caller's choice.
#pragma once

#include <memory>
#include <span>

#include "core/accelerator.hpp"
#include "core/registry.hpp"
#include "gpu/schedule/device_choice.hpp"

namespace vsh::gpu {

// What a context works with, and what it may have to do.
struct KeyMaterial {
  Algorithm algorithm;
  const void* round_keys;                 // kuznyechik::RoundKeys or magma::RoundKeys; not kept
  const void* tweak_keys;                 // of XTS, or null
  std::span<const Operation> operations;
};

// Null where the processor is to do everything. A named device throws Error where it is not there, does not work, or
// can do none of the operations; of others gpu/device/last_error.hpp has what is wrong. Throws std::bad_alloc.
std::shared_ptr<Accelerator> make_accelerator(const DeviceChoice& choice, const KeyMaterial& material);

}  // namespace vsh::gpu
