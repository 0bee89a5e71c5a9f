// Memory of the host for copies to and from a device: page-locked, or where the system gives no more of that, ordinary.
#pragma once

#include <vector>

#include "core/wipe.hpp"
#include "gpu/device/device.hpp"

namespace vsh::gpu {

// Copies from and to it wait, and pass through memory of the driver's.
class PageableBuffer final : public HostBuffer {
 public:
  explicit PageableBuffer(size_t len) : PageableBuffer(std::vector<uint8_t>(len)) {}
  ~PageableBuffer() override { wipe(memory_.data(), memory_.size()); }

 private:
  explicit PageableBuffer(std::vector<uint8_t> memory) : HostBuffer(memory), memory_(std::move(memory)) {}

  std::vector<uint8_t> memory_;  // stays at its address when it is moved
};

// Throws Error, and std::bad_alloc.
inline std::unique_ptr<HostBuffer> allocate_host(Device& device, size_t len) {
  try {
    return device.allocate_host(len);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::memory) throw;
  }
  return std::make_unique<PageableBuffer>(len);
}

}  // namespace vsh::gpu
