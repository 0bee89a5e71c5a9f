// Slots of devices and the processor, which do the pieces of a request side by side (gpu/schedule/work_splitter.hpp
// says who takes how much), and who does what is left when a device fails.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/schedule/work_splitter.hpp"

namespace vsh::gpu {

// What the processor does.
enum class HostPolicy {
  share,     // its part in every request
  fallback,  // what devices that failed have left
  none       // nothing: where the devices fail, so does the request
};

class DeviceScheduler {
 public:
  struct Device {
    std::string id;    // of the device, for messages
    size_t num_slots;  // that may work beside each other
  };
  struct Request {
    size_t num_units, grain;
    size_t kind;  // requests of one kind, below num_kinds, have the same rates
    size_t slot_min, slot_max, processor_min;  // units of a piece
    // A slot, numbered through all members, does a piece. Throws Error; the piece is then done again, by another.
    std::function<void(size_t slot, WorkSplitter::Piece piece)> on_slot;
    // By the thread that called run.
    std::function<void(WorkSplitter::Piece piece)> on_processor;
    // May be null. Each new piece, in order and before anybody works on it.
    std::function<void(WorkSplitter::Piece piece)> on_new = nullptr;
  };

  DeviceScheduler(std::vector<Device> members, HostPolicy host_policy, size_t num_kinds);

  // Every device has failed.
  bool all_failed() const noexcept { return all_failed_; }
  HostPolicy host_policy() const noexcept { return host_policy_; }
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
  bool is_inactive(size_t place) const;
  void lose(size_t member);

  const std::vector<Device> members_;
  const HostPolicy host_policy_;
  std::mutex mutex_;  // one request at a time
  std::vector<Place> places_;
  std::vector<bool> has_failed_;       // members
  std::atomic<bool> all_failed_ = false;  // all of them
};

}  // namespace vsh::gpu
