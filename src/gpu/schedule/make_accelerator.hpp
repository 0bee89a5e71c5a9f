// Makes the accelerator of an engine from devices of the caller's choice.
#pragma once

#include <memory>
#include <span>

#include "core/accelerator.hpp"
#include "gpu/schedule/device_choice.hpp"
#include "keys/cipher_key.hpp"

namespace vsh::gpu {

// What a context works with, and what it may have to do.
struct KeyMaterial {
  const keys::CipherKey& key;        // not kept
  const keys::CipherKey* tweak_key;  // of XTS, or null
  std::span<const Operation> operations;
};

// Null where the processor is to do everything. A named device throws Error where it is not there, does not work, or
// can do none of the operations; of others gpu/device/last_error.hpp has what is wrong. Throws std::bad_alloc.
std::shared_ptr<Accelerator> make_accelerator(const DeviceChoice& choice, const KeyMaterial& material);

}  // namespace vsh::gpu
