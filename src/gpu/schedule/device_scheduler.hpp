// Schedules a request over slots of devices and the processor: they do its pieces side by side
// (schedule/work_splitter.hpp says who takes how much), and others do what a device that fails has left.
//
// Every slot has a thread. It starts with the first request that has work for it, sleeps between requests, and ends
// with the scheduler. A forked child has none of these threads, and its devices are lost (device/liveness.hpp): there
// the calling thread does everything, and nothing of the parent's threads is touched, waited for or freed.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/schedule/device_choice.hpp"
#include "gpu/schedule/work_splitter.hpp"

namespace vsh::gpu {

class DeviceScheduler {
 public:
  struct Device {
    std::string id;    // for messages
    size_t num_slots;  // that may work at the same time
  };
  struct Request {
    size_t num_units, grain;
    size_t kind;                               // requests of one kind, below num_kinds, have the same rates
    size_t slot_min, slot_max, processor_min;  // units of a piece
    // A slot, numbered through all devices, does a piece. Throws Error; the piece is then done again, by another.
    std::function<void(size_t slot, WorkSplitter::Piece piece)> on_slot = nullptr;
    // Called by the thread that called run.
    std::function<void(WorkSplitter::Piece piece)> on_processor = nullptr;
    // May be null. Called for each new piece, in order and before any worker has it.
    std::function<void(WorkSplitter::Piece piece)> on_new = nullptr;
  };

  DeviceScheduler(std::vector<Device> devices, HostPolicy host_policy, size_t num_kinds);
  ~DeviceScheduler();

  // Returns false once every device has failed and the processor does all; without it, run throws then.
  bool takes_requests() const noexcept { return !all_failed_ || host_policy_ == HostPolicy::none; }
  // Returns when all is done. A device that failed is reported by gpu/device/last_error.hpp; without the processor, if
  // some of the request was not done, throws the Error. Throws what else a piece threw. Any thread; one request at a
  // time.
  void run(const Request& request);

 private:
  class Run;
  class Threads;
  // A slot, or the processor, which is the last.
  struct Worker {
    size_t device;
    bool has_failed = false;
    std::vector<double> rates;  // units a second, of each kind
  };
  Threads& threads();
  bool is_processor(size_t worker) const { return worker + 1 == workers_.size(); }
  bool is_inactive(size_t worker) const;
  void lose(size_t device);

  const std::vector<Device> devices_;
  const HostPolicy host_policy_;
  std::atomic<Threads*> threads_;  // of this process
  // One request at a time has what follows (Threads::requests).
  std::vector<Worker> workers_;
  std::vector<bool> has_failed_;  // devices
  std::atomic<bool> all_failed_ = false;
};

}  // namespace vsh::gpu
