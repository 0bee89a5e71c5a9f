// Packets in MGM from the host's memory through a device and back.
#pragma once

#include "gpu/ciphers/packet_cipher.hpp"
#include "gpu/schedule/slot_queue.hpp"
#include "streams/mgm_batch.hpp"

namespace vsh::gpu {

// Memory of a slot for packets.
class PacketBuffers {
 public:
  // Seals or opens packets, all of one direction, lengths below 2^29 each and PacketCipher::kMostBlocks in all, and
  // sets done and right. Every packet takes as much of the device's memory as the longest. Tags are compared here, on
  // the host, and before that nothing of a packet reaches its out. Throws Error, having written nothing; the queue may
  // still use the buffers. One thread at a time.
  void run(Device& device, Queue& queue, const PacketCipher& cipher,
           const streams::Selection<streams::Packet>& packets);

  static constexpr size_t blocks_of(size_t len, size_t n) noexcept { return len / n + (len % n != 0); }

 private:
  StagedBuffer in_, keys_, nonces_, lens_, out_, tags_;
  PacketCipher::Scratch scratch_;
};

}  // namespace vsh::gpu
