#include "gpu/schedule/device_scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <system_error>
#include <thread>

#include "gpu/device/device.hpp"
#include "gpu/device/last_error.hpp"

namespace vsh::gpu {

// One request on its way.
class DeviceScheduler::Run {
 public:
  Run(DeviceScheduler& scheduler, const Request& request) 
      : scheduler_(scheduler), request_(request), splitter_(divide(scheduler, request)) {}

  void work_through() {
    const size_t processor = scheduler_.places_.size() - 1;
    std::vector<size_t> slots = choose_slots();
    // The calling thread is the processor's, or else that of a slot.
    size_t own = processor;
    if (scheduler_.host_policy_ != HostPolicy::share && !slots.empty()) {
      own = slots.back();
      slots.pop_back();
    }
    std::vector<std::thread> threads;
    try {
      for (const size_t slot : slots) threads.emplace_back([this, slot] { work(slot); });
    } catch (const std::system_error&) {  // fewer threads do it too
      const std::lock_guard lock(mutex_);
      for (size_t i = threads.size(); i < slots.size(); ++i) set_aside(slots[i]);
    }
    work(own);
    for (std::thread& thread : threads) thread.join();
    for (const size_t slot : aside_) {  // where others found no memory
      if (failure_ || splitter_.is_finished()) break;
      splitter_.activate(slot);
      work(slot);
    }
    if (!failure_ && !splitter_.is_finished()) work(processor);
    if (failure_) std::rethrow_exception(failure_);
    for (size_t i = 0; i < scheduler_.places_.size(); ++i)
      scheduler_.places_[i].rates[request_.kind] = splitter_.rate(i);
    if (!splitter_.is_finished()) throw *error_;
    if (error_)
      set_last_error(error_->what() + std::string(scheduler_.all_failed_ ? "; the processor goes on alone"
                                                              : "; the others go on without it"));
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Piece = WorkSplitter::Piece;

  static WorkSplitter divide(const DeviceScheduler& scheduler, const Request& request) {
    std::vector<WorkSplitter::Worker> workers;
    for (size_t i = 0; i < scheduler.places_.size(); ++i) {
      const size_t min = scheduler.is_processor(i) ? request.processor_min : request.slot_min;
      const double rate = scheduler.places_[i].rates[request.kind];
      workers.push_back({std::max<size_t>(min, 1), std::max(min, request.slot_max), rate});
    }
    WorkSplitter splitter(request.num_units, request.grain, std::move(workers));
    for (size_t i = 0; i < scheduler.places_.size(); ++i)
      if (scheduler.is_inactive(i)) splitter.deactivate(i);
    return splitter;
  }

  // Those that are left; no more than there can be pieces, for a thread takes as long to start as 1 MiB to be copied.
  std::vector<size_t> choose_slots() {
    const size_t least = std::max(request_.slot_min / request_.grain, size_t{1}) * request_.grain;
    const size_t most_pieces = request_.num_units / least + 1;
    std::vector<size_t> slots;
    for (size_t i = 0; i + 1 < scheduler_.places_.size(); ++i) {
      if (scheduler_.is_inactive(i)) continue;
      if (slots.size() < most_pieces) slots.push_back(i);
      else set_aside(i);
    }
    return slots;
  }

  void set_aside(size_t slot) {
    splitter_.deactivate(slot);
    aside_.push_back(slot);
  }

  // Waits where there is nothing now, but may be again: others have pieces in hand that may come back.
  std::optional<Piece> take(size_t place) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (failure_ || splitter_.is_finished() || scheduler_.is_inactive(place)) return {};
      const std::optional<Piece> piece = splitter_.take(place);
      if (!piece && in_hand_ == 0) return {};
      if (piece) {
        ++in_hand_;
        if (request_.on_new && piece->end > seen_) request_.on_new(*piece);
        seen_ = std::max(seen_, piece->end);
        return piece;
      }
      changed_.wait(lock);
    }
  }

  void work(size_t place) {
    while (const std::optional<Piece> piece = take(place)) {
      try {
        const Clock::time_point start = Clock::now();
        scheduler_.is_processor(place) ? request_.on_processor(*piece) : request_.on_slot(place, *piece);
        const std::chrono::duration<double> time = Clock::now() - start;
        give_back([&] { splitter_.done(place, *piece, time.count()); });
      } catch (const Error& error) {
        give_back([&] { fail(place, *piece, error); });
      } catch (...) {
        give_back([&] { failure_ = std::current_exception(); });
      }
    }
  }

  template <class F>
  void give_back(F&& note) {
    const std::lock_guard lock(mutex_);
    --in_hand_;
    note();
    changed_.notify_all();
  }

  // A slot that finds no memory leaves its device to the other slots, if there are any; else the device is lost.
  void fail(size_t place, Piece piece, const Error& error) {
    splitter_.give_back(place, piece);
    const size_t member = scheduler_.places_[place].member;
    scheduler_.places_[place].has_failed = true;
    const auto& places = scheduler_.places_;
    const bool is_last = std::none_of(places.begin(), places.end() - 1,
                                      [&](const Place& p) { return p.member == member && !p.has_failed; });
    if (error.kind() != Error::Kind::memory || is_last) {
      scheduler_.lose(member);
      for (size_t i = 0; i + 1 < places.size(); ++i)
        if (places[i].member == member) splitter_.deactivate(i);
    }
    if (!error_) error_.emplace(error.kind(), "device " + scheduler_.members_[member].id + ": " + error.what());
  }

  DeviceScheduler& scheduler_;
  const Request& request_;
  std::mutex mutex_;  // for all that follows
  std::condition_variable changed_;
  WorkSplitter splitter_;
  size_t in_hand_ = 0;
  size_t seen_ = 0;             // where new pieces begin
  std::vector<size_t> aside_;   // slots that have no thread
  std::exception_ptr failure_;  // ends the request
  std::optional<Error> error_;  // the first of a device
};

DeviceScheduler::DeviceScheduler(std::vector<Device> members, HostPolicy host_policy, size_t num_kinds)
    : members_(std::move(members)), host_policy_(host_policy), has_failed_(members_.size()) {
  const Place nobody{members_.size(), false, std::vector<double>(num_kinds)};
  for (size_t m = 0; m < members_.size(); ++m) {
    places_.resize(places_.size() + members_[m].num_slots, nobody);
    for (size_t i = 0; i < members_[m].num_slots; ++i) places_[places_.size() - 1 - i].member = m;
  }
  places_.push_back(nobody);
}

bool DeviceScheduler::is_inactive(size_t place) const {
  if (is_processor(place)) return host_policy_ == HostPolicy::none;
  return places_[place].has_failed || has_failed_[places_[place].member];
}

void DeviceScheduler::lose(size_t member) {
  has_failed_[member] = true;
  all_failed_ = std::all_of(has_failed_.begin(), has_failed_.end(), [](bool failed) { return failed; });
}

void DeviceScheduler::run(const Request& request) {
  const std::lock_guard lock(mutex_);
  if (all_failed_ && host_policy_ == HostPolicy::none) throw Error(Error::Kind::lost, "the device failed before");
  Run(*this, request).work_through();
}

}  // namespace vsh::gpu
