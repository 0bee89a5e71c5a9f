#include "gpu/schedule/device_scheduler.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "gpu/device/last_error.hpp"
#include "gpu/device/liveness.hpp"

namespace vsh::gpu {

// ---- Threads --------------------------------------------------------------------------------------------------------

class DeviceScheduler::Threads {
 public:
  // may_start: false in a child, where slots do nothing but fail.
  Threads(size_t num_slots, bool may_start) : may_start_(may_start), threads_(num_slots) {}
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      for (Thread& t : threads_) t.wake.notify_one();
    }
    for (Thread& t : threads_)
      if (t.thread.joinable()) t.thread.join();
  }

  // Never touches again what belongs to threads of the parent. Leak checkers find it in the list.
  static void abandon(Threads* threads) noexcept;
  static void end(Threads* threads) noexcept { threads->is_of_this_process() ? delete threads : abandon(threads); }

  bool is_of_this_process() const noexcept { return process_.is_this(); }
  std::mutex& requests() noexcept { return requests_; }

  // Starts or wakes the slot's thread, which is idle. Returns false if the system has no thread.
  bool start(size_t slot, Run& run);
  // Returns when everything started has ended.
  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return num_busy_ == 0; });
  }

 private:
  struct Thread {
    std::thread thread;
    std::condition_variable wake;
    Run* run = nullptr;  // null: idle
  };
  std::thread make_thread(size_t slot);
  void work(size_t slot);

  const Process process_;
  const bool may_start_;
  std::mutex requests_;  // held during a request
  std::mutex mutex_;     // of what follows
  std::condition_variable idle_;
  std::vector<Thread> threads_;  // of each slot
  size_t num_busy_ = 0;
  bool ends_ = false;
  Threads* next_ = nullptr;  // abandoned
};

// ---- A request ------------------------------------------------------------------------------------------------------

class DeviceScheduler::Run {
 public:
  Run(DeviceScheduler& scheduler, const Request& request, Threads& threads)
      : scheduler_(scheduler), request_(request), threads_(threads), splitter_(split(scheduler, request)) {
    aside_.reserve(scheduler.workers_.size());
  }

  void execute() {
    const size_t processor = scheduler_.workers_.size() - 1;
    std::vector<size_t> slots = choose_slots();
    // The calling thread is the processor's, or else that of a slot.
    size_t own = processor;
    if (scheduler_.host_policy_ != HostPolicy::share && !slots.empty()) {
      own = slots.back();
      slots.pop_back();
    }
    for (const size_t slot : slots) {
      if (threads_.start(slot, *this)) continue;
      const std::lock_guard lock(mutex_);
      set_aside(slot);
    }
    work(own);
    threads_.wait();
    for (const size_t slot : aside_) {  // to replace those that found no memory
      if (failure_ || splitter_.is_finished()) break;
      splitter_.activate(slot);
      work(slot);
    }
    if (!failure_ && !splitter_.is_finished()) work(processor);
    if (failure_) std::rethrow_exception(failure_);
    for (size_t i = 0; i < scheduler_.workers_.size(); ++i)
      scheduler_.workers_[i].rates[request_.kind] = splitter_.rate(i);
    if (!splitter_.is_finished()) throw *error_;
    if (error_)
      set_last_error(error_->what() + std::string(scheduler_.all_failed_ ? "; the processor goes on alone"
                                                                         : "; the others go on without it"));
  }

  // Takes pieces and processes them while there are any. Throws nothing.
  void work(size_t worker) noexcept {
    while (const std::optional<Piece> piece = take(worker)) {
      try {
        const Clock::time_point start = Clock::now();
        scheduler_.is_processor(worker) ? request_.on_processor(*piece) : request_.on_slot(worker, *piece);
        const std::chrono::duration<double> time = Clock::now() - start;
        give_back([&] { splitter_.done(worker, *piece, time.count()); });
      } catch (const Error& error) {
        give_back([&] { fail(worker, *piece, error); });
      } catch (...) {
        give_back([&] { failure_ = std::current_exception(); });
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Piece = WorkSplitter::Piece;

  static WorkSplitter split(const DeviceScheduler& scheduler, const Request& request) {
    std::vector<WorkSplitter::Worker> workers;
    for (size_t i = 0; i < scheduler.workers_.size(); ++i) {
      const size_t min = scheduler.is_processor(i) ? request.processor_min : request.slot_min;
      const double rate = scheduler.workers_[i].rates[request.kind];
      workers.push_back({std::max<size_t>(min, 1), std::max(min, request.slot_max), rate});
    }
    WorkSplitter splitter(request.num_units, request.grain, std::move(workers));
    for (size_t i = 0; i < scheduler.workers_.size(); ++i)
      if (scheduler.is_inactive(i)) splitter.deactivate(i);
    return splitter;
  }

  // Returns those that are left; no more than there can be pieces, because a thread takes long to wake.
  std::vector<size_t> choose_slots() {
    const size_t least = std::max(request_.slot_min / request_.grain, size_t{1}) * request_.grain;
    const size_t most_pieces = request_.num_units / least + 1;
    std::vector<size_t> slots;
    for (size_t i = 0; i + 1 < scheduler_.workers_.size(); ++i) {
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

  // Waits if there is nothing now, but may be again: others have pieces in progress that may come back.
  std::optional<Piece> take(size_t worker) noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (failure_ || splitter_.is_finished() || scheduler_.is_inactive(worker)) return {};
      const std::optional<Piece> piece = splitter_.take(worker);
      if (!piece && in_hand_ == 0) return {};
      if (piece && announce(*piece)) {
        ++in_hand_;
        return piece;
      }
      if (!piece) changed_.wait(lock);
    }
  }

  // Reports a new piece. Returns false if that fails, and the request with it.
  bool announce(Piece piece) noexcept {
    try {
      if (request_.on_new && piece.end > seen_) request_.on_new(piece);
      seen_ = std::max(seen_, piece.end);
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      changed_.notify_all();
      return false;
    }
  }

  template <class F>
  void give_back(F&& note) {
    const std::lock_guard lock(mutex_);
    --in_hand_;
    try {
      note();
    } catch (...) {
      failure_ = std::current_exception();
    }
    changed_.notify_all();
  }

  // A slot that finds no memory leaves its device to the other slots, if there are any; else the device is lost.
  void fail(size_t worker, Piece piece, const Error& error) {
    splitter_.give_back(worker, piece);
    auto& workers = scheduler_.workers_;
    const size_t device = workers[worker].device;
    workers[worker].has_failed = true;
    const bool is_last = std::none_of(workers.begin(), workers.end() - 1,
                                      [&](const Worker& w) { return w.device == device && !w.has_failed; });
    if (error.kind() != Error::Kind::memory || is_last) {
      scheduler_.lose(device);
      for (size_t i = 0; i + 1 < workers.size(); ++i)
        if (workers[i].device == device) splitter_.deactivate(i);
    }
    if (!error_) error_.emplace(error.kind(), "device " + scheduler_.devices_[device].id + ": " + error.what());
  }

  DeviceScheduler& scheduler_;
  const Request& request_;
  Threads& threads_;
  std::mutex mutex_;  // of what follows, and of the scheduler's workers
  std::condition_variable changed_;
  WorkSplitter splitter_;
  size_t in_hand_ = 0;
  size_t seen_ = 0;             // where new pieces begin
  std::vector<size_t> aside_;   // slots without a thread in this request
  std::exception_ptr failure_;  // ends the request
  std::optional<Error> error_;  // the first of a device
};

// ---- Threads, continued ---------------------------------------------------------------------------------------------

void DeviceScheduler::Threads::abandon(Threads* threads) noexcept {
  static std::atomic<Threads*> all = nullptr;
  threads->next_ = all;
  while (!all.compare_exchange_weak(threads->next_, threads)) {
  }
}

// Signals are left to the caller's threads, except those that a thread's own instructions raise.
std::thread DeviceScheduler::Threads::make_thread(size_t slot) {
  sigset_t blocked, before;
  ::sigfillset(&blocked);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) ::sigdelset(&blocked, signal);
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  try {
    std::thread thread([this, slot] { work(slot); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

bool DeviceScheduler::Threads::start(size_t slot, Run& run) {
  if (!may_start_) return false;
  const std::lock_guard lock(mutex_);
  Thread& t = threads_[slot];
  try {
    if (!t.thread.joinable()) t.thread = make_thread(slot);
  } catch (const std::exception&) {  // system_error, bad_alloc
    return false;
  }
  t.run = &run;
  ++num_busy_;
  t.wake.notify_one();
  return true;
}

void DeviceScheduler::Threads::work(size_t slot) {
  Thread& t = threads_[slot];
  std::unique_lock lock(mutex_);
  for (;;) {
    t.wake.wait(lock, [&] { return t.run || ends_; });
    if (!t.run) return;
    lock.unlock();
    t.run->work(slot);
    lock.lock();
    t.run = nullptr;
    if (--num_busy_ == 0) idle_.notify_one();
  }
}

// ---- The scheduler --------------------------------------------------------------------------------------------------

DeviceScheduler::DeviceScheduler(std::vector<Device> devices, HostPolicy host_policy, size_t num_kinds)
    : devices_(std::move(devices)), host_policy_(host_policy), has_failed_(devices_.size()) {
  for (size_t d = 0; d < devices_.size(); ++d)
    workers_.insert(workers_.end(), devices_[d].num_slots, {d, false, std::vector<double>(num_kinds)});
  workers_.push_back({devices_.size(), false, std::vector<double>(num_kinds)});
  threads_ = new Threads(workers_.size() - 1, true);
}

DeviceScheduler::~DeviceScheduler() { Threads::end(threads_); }

DeviceScheduler::Threads& DeviceScheduler::threads() {
  Threads* now = threads_;
  if (now->is_of_this_process()) return *now;
  auto own = std::make_unique<Threads>(workers_.size() - 1, false);
  if (!threads_.compare_exchange_strong(now, own.get())) return *now;  // another thread of the child was first
  Threads::abandon(now);
  return *own.release();
}

bool DeviceScheduler::is_inactive(size_t worker) const {
  if (is_processor(worker)) return host_policy_ == HostPolicy::none;
  return workers_[worker].has_failed || has_failed_[workers_[worker].device];
}

void DeviceScheduler::lose(size_t device) {
  has_failed_[device] = true;
  all_failed_ = std::all_of(has_failed_.begin(), has_failed_.end(), [](bool failed) { return failed; });
}

void DeviceScheduler::run(const Request& request) {
  Threads& own = threads();
  const std::lock_guard lock(own.requests());
  if (all_failed_ && host_policy_ == HostPolicy::none) throw Error(Error::Kind::lost, "the device failed before");
  Run(*this, request, own).execute();
}

}  // namespace vsh::gpu
