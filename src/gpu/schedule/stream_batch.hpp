// Batches of messages on devices, each under its own key: jobs and packets of vsh_streams, chunks of sealed files.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/schedule/batch_scheduler.hpp"
#include "gpu/schedule/packet_buffers.hpp"
#include "streams/selection.hpp"

namespace vsh::gpu {

class StreamBatch {
 public:
  // Bytes. A longer packet is left to the processor: it is a separate request (Operation::mgm_encrypt).
  static constexpr size_t kMaxPacket = 1 << 20;

  // segment: bytes, of CTR, CFB and OFB; 0: devices do none of these. Throws as make_accelerator does. Made by
  // make_batch.
  StreamBatch(const DeviceChoice& choice, const keys::CipherParameters& cipher, size_t segment = 0);
  ~StreamBatch();
  bool may_want() const { return scheduler_.may_want(); }

  // Processes all items, and sets done: on devices those that are worth it, the others by processor(items). Any thread.
  // Throws as DeviceScheduler::run.
  using JobProcessor = std::function<void(streams::Selection<streams::Job>)>;
  void run(std::span<streams::Job> jobs, const JobProcessor& processor);
  // Does the same for packets, and sets right; not for GOST 28147-89. Packets of one key may point at the same key. A
  // packet's tag is compared here, on the host, and before that nothing of it reaches its out.
  using PacketProcessor = std::function<void(streams::Selection<streams::Packet>)>;
  void run(std::span<streams::Packet> packets, const PacketProcessor& processor);

 private:
  class Slot;
  struct JobRules;
  struct PacketRules;

  const keys::CipherParameters cipher_;
  const size_t block_size_, segment_;
  std::vector<std::unique_ptr<Slot>> slots_;  // of all devices
  BatchScheduler scheduler_;
};

}  // namespace vsh::gpu
