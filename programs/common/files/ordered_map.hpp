// Runs work on several threads and takes the results in the order of the items.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "programs/common/files/bounded_queue.hpp"
#include "programs/common/system/try_thread.hpp"

namespace vsh::cli {

// next() -> std::optional<Item>; work(const Item&) -> Result, on any of `threads` threads; take(Item, Result), in
// order, on the calling thread, like next(). What work() throws is thrown in its turn. At most 4 items per thread are
// in flight, so a list of any length takes constant memory. If fewer threads can be created, those do the work; without
// any, the calling one does.
template <class Next, class Work, class Take>
void in_order(unsigned threads, Next&& next, Work&& work, Take&& take) {
  using Item = typename std::invoke_result_t<Next&>::value_type;
  using Result = std::invoke_result_t<Work&, const Item&>;

  if (threads <= 1) {
    while (std::optional<Item> item = next()) {
      Result result = work(*item);
      take(std::move(*item), std::move(result));
    }
    return;
  }

  struct Job {
    Item item;
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
  };
  const size_t window = size_t{4} * threads;
  std::deque<Job> under_way;  // elements keep their addresses while others are added and removed at the ends
  BoundedQueue<Job*> waiting(window);
  struct AbortAtEnd {  // before the threads are joined, also when next() or take() throws
    BoundedQueue<Job*>& queue;
    ~AbortAtEnd() { queue.abort(); }
  };
  const auto do_job = [&](Job* job) {
    try {
      job->promise.set_value(work(job->item));
    } catch (...) {
      job->promise.set_exception(std::current_exception());
    }
  };
  std::vector<std::jthread> workers;
  const AbortAtEnd abort_at_end{waiting};

  bool more = true;
  while (more || !under_way.empty()) {
    if (more && under_way.size() < window) {
      std::optional<Item> item = next();
      more = item.has_value();
      if (!more) continue;
      under_way.push_back(Job{std::move(*item), {}});
      waiting.push(&under_way.back());
      if (workers.size() < threads) {
        std::jthread worker = try_thread([&] {
          while (const auto job = waiting.pop()) do_job(*job);
        });
        if (worker.joinable()) workers.push_back(std::move(worker));
      }
      continue;
    }
    if (workers.empty()) do_job(*waiting.pop());
    Job& first = under_way.front();
    Result result = first.result.get();
    take(std::move(first.item), std::move(result));
    under_way.pop_front();
  }
}

}  // namespace vsh::cli
