// The sequence numbers that a tunnel's end has used, kept over restarts: every number is reserved here, with a margin,
// before it is sent. Two slots of one file, written in turn, so that a torn write leaves the older one.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "programs/common/system/descriptor.hpp"
#include "programs/tunnel/key_file.hpp"

namespace vsh::tunnel {

struct Sequences {
  uint64_t sent = 0;  // no number above it has been sent
  uint64_t seen = 0;  // a number that the peer has sent, or has passed over
};

class StateFile {
 public:
  // Numbers that one write reserves.
  static constexpr uint64_t kMargin = 1 << 20;

  // Writes the file of new keys. Throws Failure, if it exists, too.
  static void create(const std::string& name, const KeyFile& keys);
  // Opens and locks it. Throws Failure: lost, damaged, of other keys, or in use.
  StateFile(const std::string& name, const KeyFile& keys);

  Sequences of(unsigned queue) const { return {sent_[queue].load(), seen_[queue].load()}; }
  // Returns when `needed` numbers are reserved on the disk. Throws Failure if they cannot be; several threads.
  void reserve(unsigned queue, uint64_t needed) {
    if (needed > sent_[queue].load(std::memory_order_acquire)) reserve_more(queue, needed);
  }
  // Writes what the peer has sent, if it is news; several threads.
  void note_seen(unsigned queue, uint64_t seen);
  // At the end: numbers that were reserved and not used are given back.
  void settle(const std::vector<Sequences>& used);

 private:
  void reserve_more(unsigned queue, uint64_t needed);
  void write(const std::vector<Sequences>& sequences);
  std::vector<Sequences> all() const;
  bool read_slot(unsigned slot, uint64_t& generation, std::vector<Sequences>& sequences) const;

  const std::string name_;
  const unsigned queues_;
  cli::SecretBytes<32> key_;
  cli::Descriptor fd_;
  std::mutex mutex_;
  uint64_t generation_ = 0;
  std::atomic<uint64_t> sent_[kMaxQueues] = {}, seen_[kMaxQueues] = {};
};

}  // namespace vsh::tunnel
