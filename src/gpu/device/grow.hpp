// Memory that is made when it is first needed, and made anew where more is.
#pragma once

#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {

// At least len bytes; what was there before is lost.
inline Buffer& grow(Device& device, std::unique_ptr<Buffer>& buffer, size_t len) {
  if (buffer && buffer->size() >= len) return *buffer;
  buffer.reset();  // first: there may be no room for both
  buffer = device.allocate(len);
  return *buffer;
}
// The same for memory that may still be in use by what was asked of the queue.
inline Buffer& grow(Device& device, Queue& queue, std::unique_ptr<Buffer>& buffer, size_t len) {
  if (buffer && buffer->size() < len) queue.finish();
  return grow(device, buffer, len);
}
inline uint8_t* grow(Device& device, std::unique_ptr<HostBuffer>& buffer, size_t len) {
  device.require();
  if (buffer && buffer->bytes().size() >= len) return buffer->bytes().data();
  buffer.reset();
  buffer = allocate_host(device, len);
  return buffer->bytes().data();
}

}  // namespace vsh::gpu
