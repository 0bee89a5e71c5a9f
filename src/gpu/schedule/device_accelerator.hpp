// Devices, and optionally the processor, that do a request together: an engine's accelerator.
//
// A request is cut into pieces, which the slots of all devices and the calling thread, for the processor, take one
// after the other (gpu/schedule/device_scheduler.hpp). A slot does a piece from the host's memory to the host's memory
// while the other slots of its device do theirs, so copies in, work and copies out of a device overlap. Pieces of
// a device that fails go back to the others: a piece is written to its place only when it is complete, so that its
// input is still there, even in place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/accelerator.hpp"
#include "gpu/schedule/device_scheduler.hpp"

namespace vsh::gpu {

// A separate part of a request.
struct Part {
  size_t begin, end;      // blocks of the request
  const uint8_t* before;  // CBC, CFB: the z blocks before `begin`, as they came in
};

// Processes one piece at a time: a queue of a device, with its own memory.
class Slot {
 public:
  virtual ~Slot() = default;
  // Does the part. MGM: adds its products to `sum`. Throws Error, having written nothing to request.out if that is
  // request.in. One thread at a time.
  virtual void run(const Accelerator::Request& request, const Part& part, uint64_t* sum) = 0;
};

struct DeviceSlots {
  std::string id;  // of the device, for messages
  std::vector<std::unique_ptr<Slot>> slots;
};

// In bytes.
struct PieceSizes {
  size_t min = 1 << 20, max = 16 << 20;  // of a slot
  size_t processor_min = 1 << 20;        // about 100 microseconds of work, so that threads are worth waking
};

class DeviceAccelerator final : public Accelerator {
 public:
  // least: of each operation, as least() returns it.
  DeviceAccelerator(size_t block_size, std::vector<DeviceSlots> devices, HostPolicy host_policy,
                    const size_t (&least)[kNumOperations], const PieceSizes& sizes = {});
  ~DeviceAccelerator() override;

  // If the processor can take over, takes nothing once every device has failed.
  size_t least(Operation operation) const noexcept override;
  void run(const Request& request, const Processor& processor) override;

 private:
  class Registers;

  const size_t block_size_;
  const PieceSizes sizes_;
  size_t least_[kNumOperations];
  std::vector<std::unique_ptr<Slot>> slots_;  // of all devices
  DeviceScheduler scheduler_;
};

}  // namespace vsh::gpu
