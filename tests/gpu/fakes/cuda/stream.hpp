// A stream: its work runs on a separate thread, in order, some time after it was enqueued.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fake_cuda {

class Stream {
 public:
  explicit Stream(bool lazy) : lazy_(lazy), thread_([this] { run(); }) {}
  ~Stream() {
    wait();
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void add(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      ++num_added_;
    }
    changed_.notify_all();
  }

  // For all that was added so far.
  void wait() { wait_until(mark()); }
  uint64_t mark() {
    const std::lock_guard lock(mutex_);
    return num_added_;
  }
  void wait_until(uint64_t mark) {
    std::unique_lock lock(mutex_);
    ++num_waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return num_done_ >= mark; });
    --num_waiting_;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ends_ || (!tasks_.empty() && (!lazy_ || num_waiting_)); });
      if (tasks_.empty()) return;
      lock.unlock();
      tasks_.front()();  // references to a deque's elements stay good while others are added
      lock.lock();
      tasks_.pop_front();
      ++num_done_;
      changed_.notify_all();
    }
  }

  const bool lazy_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  uint64_t num_added_ = 0, num_done_ = 0;
  int num_waiting_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace fake_cuda
