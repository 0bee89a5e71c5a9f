// Batches of messages that are hashed on devices, for vsh_streams_hash.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/schedule/batch_scheduler.hpp"
#include "streams/hash_batch.hpp"

namespace vsh::gpu {

class HashBatch {
 public:
  // Throws as make_accelerator does. Made by make_batch.
  HashBatch(const DeviceChoice& choice, unsigned hash_bits);
  ~HashBatch();
  bool may_want() const { return scheduler_.may_want(); }

  // As StreamBatch::run.
  using Processor = std::function<void(streams::Selection<streams::Message>)>;
  void run(std::span<streams::Message> messages, const Processor& processor);

 private:
  class Slot;

  std::vector<std::unique_ptr<Slot>> slots_;  // of all devices
  BatchScheduler scheduler_;
};

}  // namespace vsh::gpu
