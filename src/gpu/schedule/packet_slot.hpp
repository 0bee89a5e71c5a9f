// Packets in MGM from the host's memory through a device and back: a queue with memory of its own.
#pragma once

#include <memory>
#include <span>

#include "gpu/ciphers/packet_cipher.hpp"
#include "streams/mgm_batch.hpp"

namespace vsh::gpu {

class PacketSlot {
 public:
  // The device must outlive the slot.
  PacketSlot(Device& device, std::shared_ptr<const PacketCipher> cipher)
      : device_(device), cipher_(std::move(cipher)) {}

  // Seals or opens packets, all of one direction, lengths below 2^29 each and PacketCipher::kMostBlocks in all, and
  // sets done and right. Every packet takes as much of the device's memory as the longest. Tags are compared here, on
  // the host, and before that nothing of a packet reaches its out. Throws Error, and has written nothing then. One
  // thread at a time.
  void run(std::span<streams::Packet> packets);

  static constexpr size_t blocks_of(size_t len, size_t n) noexcept { return len / n + (len % n != 0); }

 private:
  // Page-locked memory, and what is its like on the device.
  struct Pair {
    std::unique_ptr<HostBuffer> stage;
    std::unique_ptr<Buffer> device;
  };
  const Buffer* upload(Pair& pair, size_t len);

  Device& device_;
  const std::shared_ptr<const PacketCipher> cipher_;
  Pair in_, keys_, nonces_, lens_, out_, tags_;
  PacketCipher::Scratch scratch_;
  std::unique_ptr<Queue> queue_;  // goes first, and waits for what it was asked
};

}  // namespace vsh::gpu
