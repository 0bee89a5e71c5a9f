// Shared by slots: a queue, and memory on both sides of the bus.
#pragma once

#include <memory>

#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {

// A queue of a device, made when it is first used. Must be destroyed before the memory that its work uses.
class SlotQueue {
 public:
  explicit SlotQueue(Device& device) noexcept : device_(device) {}
  Device& device() const noexcept { return device_; }

  // Calls f(queue), which waits for its work. If it throws, waits too: work may still use the slot's memory.
  template <class F>
  void run(F&& f) {
    if (!queue_) queue_ = device_.make_queue();
    try {
      f(*queue_);
    } catch (...) {
      try {
        queue_->finish();
      } catch (const Error&) {
      }
      throw;
    }
  }

 private:
  Device& device_;
  std::unique_ptr<Queue> queue_;
};

// Page-locked memory, and its counterpart on the device.
class StagedBuffer {
 public:
  uint8_t* host(Device& device, size_t len) { return grow(device, host_, len); }
  Buffer& on_device(Device& device, size_t len) { return grow(device, device_, len); }

  Buffer* get() const noexcept { return device_.get(); }

  // Uploads the contents of host().
  Buffer* upload(Device& device, Queue& queue, size_t len) {
    queue.upload(on_device(device, len), 0, host_->bytes().data(), len);
    return device_.get();
  }
  void download(Queue& queue, size_t len) { queue.download(host_->bytes().data(), *device_, 0, len); }

 private:
  std::unique_ptr<HostBuffer> host_;
  std::unique_ptr<Buffer> device_;
};

}  // namespace vsh::gpu
