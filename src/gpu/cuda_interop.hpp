// Memory and streams that a caller has on a CUDA device already: the primary context's, as the run-time API makes them.
#pragma once

#include <memory>

#include "gpu/device.hpp"

namespace vsh::gpu {

// The id ("cuda:1") of the device on which these len bytes lie. Throws Error: none_found where they are no memory of a
// CUDA device, or not all of one allocation.
std::string device_of_pointer(const void* p, size_t len);

// The caller's memory as a Buffer of the CUDA device, neither erased nor given back in the end.
std::unique_ptr<Buffer> adopt_buffer(Device& device, void* p, size_t len);

// The caller's stream (null: the default stream) as a Queue. Its end closes nothing, and waits only where small uploads
// from pageable memory passed through it.
std::unique_ptr<Queue> adopt_stream(Device& device, void* stream);

}  // namespace vsh::gpu
