// Memory and streams that a caller has on a CUDA device already: the primary context's, as the run-time API makes them.
#pragma once

#include <memory>

#include "gpu/device/device.hpp"

namespace vsh::gpu {

// Throws Error: none_found unless these len bytes are of one allocation, or one reserved range of addresses, of this
// CUDA device.
void require_memory(Device& device, const void* p, size_t len);

// The caller's memory as a Buffer of the CUDA device, neither erased nor given back in the end.
std::unique_ptr<Buffer> adopt_buffer(Device& device, void* p, size_t len);

// The caller's stream (null: the default stream) as a Queue. It may be destroyed before the Queue, which waits by
// events then; the Queue's end closes nothing, and waits only where small uploads from pageable memory passed through.
std::unique_ptr<Queue> adopt_stream(Device& device, void* stream);

}  // namespace vsh::gpu
