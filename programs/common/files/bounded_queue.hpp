// A queue between threads that holds a bounded number of items.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace vsh::cli {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Waits for room. Returns false and drops the item if the queue was aborted.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < capacity_ || aborted_; });
    if (aborted_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Waits for an item. Returns nullopt if the queue is finished and empty, or aborted.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || finished_ || aborted_; });
    if (aborted_ || items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  void finish() { set(finished_); }  // no more pushes; remaining items can be popped
  void abort() { set(aborted_); }    // wakes all waiters, drops all items

 private:
  void set(bool& flag) {
    const std::scoped_lock lock(mutex_);
    flag = true;
    changed_.notify_all();
  }

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool finished_ = false;
  bool aborted_ = false;
};

}  // namespace vsh::cli
