// Batches of packets in MGM on devices: what vsh_streams_mgm hands over. Packets of about one length go to devices
// together; a scheduler divides them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/schedule/batch_scheduler.hpp"
#include "gpu/schedule/packet_slot.hpp"

namespace vsh::gpu {

class PacketBatch {
 public:
  // Bytes. A longer packet is left to the processor: alone it is work for a device (Accelerator::Work::mgm_encrypt).
  static constexpr size_t kMaxPacket = 1 << 20;

  // Null where the processor is to do everything. algorithm: kuznyechik or magma. parameters: of Magma. Throws as
  // make_accelerator does.
  static std::unique_ptr<PacketBatch> make(const DeviceChoice& choice, Algorithm algorithm,
                                           const magma::RoundKeys& parameters);

  // Does all packets, and sets done and right: on devices those that are worth it, the others by processor(packets).
  // Packets of one key may point at the same key. A packet's tag is compared here, on the host, and before that nothing
  // of it reaches its out. Any thread. Throws as DeviceScheduler::run.
  using Processor = std::function<void(std::span<streams::Packet>)>;
  void run(std::span<streams::Packet> packets, const Processor& processor);

 private:
  PacketBatch(const DeviceChoice& choice, Algorithm algorithm, const magma::RoundKeys& parameters);

  size_t block_size_;
  std::vector<std::unique_ptr<PacketSlot>> slots_;  // of all devices
  BatchScheduler scheduler_;
};

}  // namespace vsh::gpu
