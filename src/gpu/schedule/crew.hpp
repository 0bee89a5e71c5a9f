// Slots of devices and the processor, which do the pieces of a request side by side (gpu/schedule/division.hpp says
// who takes how much), and who does what is left when a device fails.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/schedule/division.hpp"

namespace vsh::gpu {

// What the processor does.
enum class Role {
  works,     // its part in every request
  finishes,  // what devices that failed have left
  rests      // nothing: where the devices fail, so does the request
};

class Crew {
 public:
  struct Member {
    std::string id;    // of the device, for messages
    size_t num_slots;  // that may work beside each other
  };
  struct Request {
    size_t num_units, grain;
    size_t kind;  // requests of one kind, below num_kinds, have the same rates
    size_t slot_min, slot_max, processor_min;  // units of a piece
    // A slot, numbered through all members, does a piece. Throws Error; the piece is then done again, by another.
    std::function<void(size_t slot, Division::Piece piece)> on_slot;
    // By the thread that called run.
    std::function<void(Division::Piece piece)> on_processor;
    // May be null. Each new piece, in order and before anybody works on it.
    std::function<void(Division::Piece piece)> on_new = nullptr;
  };

  Crew(std::vector<Member> members, Role of_processor, size_t num_kinds);

  // Every device has failed.
  bool is_over() const noexcept { return is_over_; }
  Role of_processor() const noexcept { return of_processor_; }
  // Returns when all is done. A device that failed is told of by gpu/device/last_error.hpp; where the processor rests
  // and some of the request was not done, throws the Error. Throws what else a piece threw. Any thread; one
  // request at a time.
  void run(const Request& request);

 private:
  class Run;
  // A slot, or the processor, which is the last; and what it was seen to do, units a second.
  struct Place {
    size_t member;
    bool has_failed = false;
    std::vector<double> rates;  // of each kind
  };
  bool is_processor(size_t place) const { return place + 1 == places_.size(); }
  bool has_left(size_t place) const;
  void lose(size_t member);

  const std::vector<Member> members_;
  const Role of_processor_;
  std::mutex mutex_;  // one request at a time
  std::vector<Place> places_;
  std::vector<bool> has_failed_;       // members
  std::atomic<bool> is_over_ = false;  // all of them
};

}  // namespace vsh::gpu
