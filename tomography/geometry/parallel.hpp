// Parts of a computation on threads, with progress and exceptions (memory) brought back to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/executor.hpp"
#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

inline unsigned threads_used(unsigned threads) {
  return threads == 0 ? available_threads() : std::min(threads, available_threads());
}

// Calls f(begin, end, step) over ranges of `num` units, where step() is to be called after every unit: it reports
// progress from the calling thread, and ends the range by throwing Stopped after another one has failed.
template <class F>
void in_parallel(size_t num, unsigned threads, const Progress& progress, F&& f) {
  std::atomic<size_t> done{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  std::mutex mutex;
  const std::thread::id caller = std::this_thread::get_id();
  for_ranges(num, 1, threads, [&](size_t begin, size_t end) {
    try {
      if (failed) return;
      f(begin, end, [&] {
        const size_t now = done.fetch_add(1) + 1;
        if (failed) throw Stopped();
        if (std::this_thread::get_id() == caller) progress(static_cast<double>(now) / static_cast<double>(num));
      });
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  });
  if (failed) std::rethrow_exception(failure);
}

}  // namespace vsh::tomography
