// Many messages of one length on one device, each under its own key (programs magma_streams, kuznyechik_streams).
//
// A work item has 32 lanes. Either they are 32 blocks of one message (spread), or a block of each of 32 messages at a
// time (lockstep): the only shape for chained modes, and the better one for many messages of less than 32 blocks.
// Round keys are made on the device for each launch and stay in the queue's Scratch until the next one.
#pragma once

#include <array>
#include <mutex>

#include "gpu/device/device.hpp"
#include "streams/job.hpp"

namespace vsh::gpu {

class StreamCipher {
 public:
  // The device must outlive this. Throws Error.
  StreamCipher(Device& device, const keys::CipherParameters& cipher);

  size_t block_size() const noexcept { return block_size_; }
  bool can(Operation operation) const noexcept;

  enum class Shape : uint8_t { best, spread, lockstep };

  struct Task {
    Operation operation;
    Buffer* out;         // not in. MAC and IMIT: a whole block for each message, which begins with the tag
    const Buffer* in;    // message s from s * stride on
    const Buffer* keys;  // 32 bytes for each
    const Buffer* ivs;   // a block for each, of CTR with anything in its right half; null in ECB, MAC, IMIT
    uint32_t num_streams;
    uint64_t len;     // bytes of each message. ECB, CBC: whole blocks; IMIT: not 0
    uint64_t stride;  // bytes: whole blocks, enough to hold len. Bytes behind a message are unspecified: in
                      // `out`, secrets that must not leave
    Shape shape = Shape::best;
    bool keys_again = false;  // keys and num_streams are those of the scratch's last launch: its round keys serve again
  };

  // Memory of one queue for round keys and staged data; grows. Erased by the back end when it is given back.
  struct Scratch {
    std::unique_ptr<Buffer> sliced, schedules, counters, staged;
    bool has_sliced = false, has_schedules = false;  // of the last launch's keys
  };
  // Returns how many bytes of it a launch needs.
  uint64_t scratch_size(const Task& task) const noexcept;

  // Most blocks in one launch, each message's filled up to a multiple of 32.
  static constexpr uint64_t kMostBlocks = uint64_t{1} << 35;

  // Queues the task and returns; any number of threads, each with its own queue and scratch. can(task.operation),
  // within kMostBlocks. The first launch of an operation compiles or finds its program. Throws Error.
  void launch(Queue& queue, Scratch& scratch, const Task& task) const;

 private:
  struct Launch;
  Launch launch_of(const Task& task) const noexcept;
  Program& program(Operation operation) const;
  void make_round_keys(Queue& queue, Scratch& scratch, const Launch& launch, const Task& task) const;

  Device& device_;
  Algorithm algorithm_;
  size_t block_size_;
  std::string parameters_;  // definitions of the programs
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<Program>, kNumOperations> programs_;  // of those used so far
  std::shared_ptr<Program> keys_;                                          // Kuznyechik's key schedule
  std::unique_ptr<Buffer> tables_;                                         // a user's own S-boxes
};

}  // namespace vsh::gpu
