// Makes the accelerator of an engine from devices of the caller's choice.
#pragma once

#include <memory>
#include <span>

#include "core/accelerator.hpp"
#include "gpu/schedule/device_choice.hpp"
#include "keys/cipher_key.hpp"

namespace vsh::gpu {

// Keys of a context, and the operations that it may need.
struct KeyMaterial {
  const keys::CipherKey& key;        // not kept
  const keys::CipherKey* tweak_key;  // of XTS, or null
  std::span<const Operation> operations;
};

// Returns null if the processor is to do everything. Throws Error if a named device is missing, does not work, or can
// do none of the operations; errors of others are in gpu/device/last_error.hpp. Throws std::bad_alloc.
std::shared_ptr<Accelerator> make_accelerator(const DeviceChoice& choice, const KeyMaterial& material);

}  // namespace vsh::gpu
