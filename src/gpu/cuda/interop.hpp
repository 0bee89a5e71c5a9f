// A caller's own memory and streams on a CUDA device, in the primary context, as the run-time API creates them.
#pragma once

#include <memory>

#include "gpu/device/device.hpp"

namespace vsh::gpu {

// Throws Error: none_found unless these len bytes lie in one allocation, or one reserved range of addresses, of this
// CUDA device.
void require_memory(Device& device, const void* p, size_t len);

// Wraps the caller's memory as a Buffer of the CUDA device; it is neither erased nor freed.
std::unique_ptr<Buffer> adopt_buffer(Device& device, void* p, size_t len);

// Wraps the caller's stream (null: the default stream) as a Queue. The stream may be destroyed before the Queue, which
// then waits by events; destroying the Queue closes nothing, and waits only after small uploads from pageable memory.
std::unique_ptr<Queue> adopt_stream(Device& device, void* stream);

}  // namespace vsh::gpu
