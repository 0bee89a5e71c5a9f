// Buffers for what a thread writes next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace vsh::disk {

// A server has more threads than processors, often hundreds. A buffer for each would be cold whenever its turn comes;
// these go from thread to thread, and each processor takes the one that it had last, which is in its cache still.
class Pieces {
 public:
  static constexpr size_t kLen = size_t{256} << 10;

  Pieces() = default;
  ~Pieces();
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  // A buffer of kLen bytes on page boundaries, for its lifetime. Another thread has it next: it holds ciphertext then.
  class Use {
   public:
    explicit Use(Pieces& pieces);  // throws std::bad_alloc
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    uint8_t* bytes() const { return piece_; }

   private:
    Pieces& pieces_;
    const unsigned home_;  // the slot of this processor
    uint8_t* piece_ = nullptr;
  };

 private:
  // As many are kept; more are allocated and freed as needed.
  static constexpr unsigned kSlots = 16;
  struct alignas(64) Slot {  // a cache line of its own
    std::atomic<uint8_t*> piece = nullptr;
  };

  Slot slots_[kSlots];
};

}  // namespace vsh::disk
