// Decides which devices do batches, and which groups of items are worth sending to them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "gpu/schedule/crossovers.hpp"
#include "gpu/schedule/device_choice.hpp"
#include "gpu/schedule/device_scheduler.hpp"

namespace vsh::gpu {

// Fewer messages of one kind are not for a device, nor are fewer bytes than Accelerator::kLeast. Packets may be any
// number: their blocks lie side by side, as many as there are.
inline constexpr size_t kLeastMessages = 64;

class BatchScheduler {
 public:
  // Makes num_slots slots of the device, numbered on from those made before. Throws Error without making any.
  using MakeSlots = std::function<void(Device& device, size_t num_slots)>;

  // Opens a named device, or all of them; those of `auto` are opened with the first group that is worth it. Throws
  // Error if a named one cannot be opened.
  BatchScheduler(const DeviceChoice& choice, Algorithm algorithm, MakeSlots make_slots);

  // Returns false if the processor does everything in any case.
  bool may_want() const;
  // Returns whether a group of items, done in the same way, is for devices. Any thread.
  bool wants(Operation operation, size_t num_items, size_t num_bytes);
  // For a group for which wants() was true: items of `bytes` bytes in the buffers. As DeviceScheduler::run.
  void run(Operation operation, size_t num_items, size_t bytes,
           std::function<void(size_t, WorkSplitter::Piece)> on_slot,
           std::function<void(WorkSplitter::Piece)> on_processor);

 private:
  template <class IsOf>
  bool any_row(IsOf is_of) const;
  bool is_there() const { return scheduler_ && scheduler_->takes_requests(); }
  void open(const DeviceChoice& choice);

  const Algorithm algorithm_;
  const MakeSlots make_slots_;
  const bool is_automatic_;
  std::mutex mutex_;  // of what follows, with `auto`
  bool is_open_ = false;
  std::unique_ptr<DeviceScheduler> scheduler_;  // once there are devices
};

// Returns null for a batch whose scheduler never takes anything: the processor does everything.
template <class Batch, class... Arguments>
std::unique_ptr<Batch> make_batch(const DeviceChoice& choice, Arguments&&... arguments) {
  if (choice.kind == DeviceChoice::Kind::processor) return nullptr;
  auto batch = std::make_unique<Batch>(choice, std::forward<Arguments>(arguments)...);
  return batch->may_want() ? std::move(batch) : nullptr;
}

}  // namespace vsh::gpu
