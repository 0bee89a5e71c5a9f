// Streebog over many messages on a device (program streebog).
#pragma once

#include "gpu/device/device.hpp"

namespace vsh::gpu {

class MessageHash {
 public:
  // hash_bits: 256 or 512. The device must outlive the object. Throws Error.
  MessageHash(Device& device, unsigned hash_bits);

  size_t hash_size() const noexcept { return hash_bits_ / 8; }
  // A launch takes as long as if every message were as long as the longest. Its control flow depends only on the
  // longest.
  struct Task {
    Buffer* out;         // hash_size() bytes for each message
    const Buffer* data;  // message i from byte i * stride on; what lies between messages is read
    const Buffer* lens;  // bytes of each, as 64-bit numbers
    uint32_t num_messages;
    uint64_t stride;   // a multiple of 4, at least max_len
    uint64_t max_len;  // no message is longer; less than 2^37
  };
  // Memory of one queue for running states; grows. Erased by the back end when it is given back.
  struct Scratch {
    std::unique_ptr<Buffer> states;
  };
  // Queues the task and returns; any number of threads, each with its own queue and scratch. Throws Error.
  void launch(Queue& queue, Scratch& scratch, const Task& task) const;

 private:
  Device& device_;
  unsigned hash_bits_;
  std::shared_ptr<Program> program_;
  std::unique_ptr<Buffer> constants_;
};

}  // namespace vsh::gpu
