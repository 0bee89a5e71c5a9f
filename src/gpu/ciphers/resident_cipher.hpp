// A block cipher for data that is on a CUDA device already, worked on in the order of the caller's stream.
#pragma once

#include <memory>

#include "gpu/ciphers/keyed_device.hpp"

namespace vsh::gpu {

class ResidentCipher {
 public:
  // As KeyedDevice. Throws Error.
  ResidentCipher(Device& device, const keys::CipherKey& key, const keys::CipherKey* tweak_key);
  ~ResidentCipher();  // waits

  bool can(Operation operation) const noexcept { return keyed_.cipher().can(operation); }

  struct Task {
    Operation operation;
    // On the device, at any alignment (unless it is 16 bytes, the data is copied there once more), out the same as in
    // or apart from it. Counter modes and CFB take any length; the others whole blocks, XTS whole units.
    uint8_t* out;
    const uint8_t* in;
    size_t len;
    const uint8_t* start = nullptr;  // in the host's memory: what BlockCipher::Task::start is to hold
    uint64_t first = 0;              // counters: the block that in begins with
    size_t z = 1;                    // CBC, CFB: blocks of the register
    size_t unit_blocks = 1;          // XTS, with the numbers first_unit, first_unit + step, ...
    uint64_t first_unit = 0, step = 1;
    void* stream;  // CUstream, null: the default one
  };
  // Queues the task on the stream and returns. One thread at a time; a stream other than the last call's waits for that
  // one. Throws Error.
  void run(const Task& task);
  // Waits until all queued work is done. Throws Error.
  void finish();

 private:
  class Pass;

  const KeyedDevice keyed_;
  void* stream_ = nullptr;
  std::unique_ptr<Buffer> in_, out_, start_, tweaks_, tail_in_, tail_out_;
  std::unique_ptr<Queue> queue_;  // over stream_; destroyed first
};

}  // namespace vsh::gpu
