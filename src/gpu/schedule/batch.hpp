// Batches of messages on devices: what vsh_streams and vsh_streams_hash hand over. Messages that are done in the same
// way, those of one work and one length, or hashes of about one length, go to devices together, divided by a scheduler.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "gpu/schedule/batch_scheduler.hpp"
#include "gpu/ciphers/message_hash.hpp"
#include "gpu/ciphers/stream_cipher.hpp"
#include "streams/hash_batch.hpp"

namespace vsh::gpu {

class CipherBatch {
 public:
  // Null where the processor is to do everything. The cipher must outlive the batch. Throws as make_accelerator does.
  static std::unique_ptr<CipherBatch> make(const DeviceChoice& choice, const streams::Cipher& cipher);
  ~CipherBatch();

  // Does all jobs, and sets done: on devices those that are worth it, the others by processor(jobs). Any thread.
  using Processor = std::function<void(std::span<streams::Job>)>;
  void run(std::span<streams::Job> jobs, const Processor& processor);

 private:
  class Slot;
  CipherBatch(const DeviceChoice& choice, const streams::Cipher& cipher);
  bool is_for_devices(const streams::Job& job) const noexcept;

  size_t block_size_, segment_;
  std::vector<std::unique_ptr<Slot>> slots_;  // of all devices
  BatchScheduler scheduler_;
};

class HashBatch {
 public:
  static std::unique_ptr<HashBatch> make(const DeviceChoice& choice, unsigned hash_bits);
  ~HashBatch();

  using Processor = std::function<void(std::span<streams::Message>)>;
  void run(std::span<streams::Message> messages, const Processor& processor);

 private:
  class Slot;
  HashBatch(const DeviceChoice& choice, unsigned hash_bits);

  std::vector<std::unique_ptr<Slot>> slots_;
  BatchScheduler scheduler_;
};

}  // namespace vsh::gpu
