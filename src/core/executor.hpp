// Cuts work into ranges of whole units and runs them on threads (oneTBB; one thread in builds without it).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace vsh {

// Smallest number of bytes worth another thread: waking one costs some 10 microseconds.
inline constexpr size_t kBytesPerThread = 128 * 1024;

// Returns the hardware threads that this process may use; at least 1.
unsigned available_threads() noexcept;
// Returns how many threads a caller gets who allows so many (0: all).
inline unsigned threads_of(unsigned allowed) noexcept {
  return allowed == 1 ? 1 : allowed ? std::min(allowed, available_threads()) : available_threads();
}

// Calls body(context, begin, end) over disjoint ranges that cover [0, num_units); every range but the last is a
// multiple of `grain` units. On at most `threads` threads (0: all). The calling thread takes part, and the call returns
// when all is done. With threads == 1, or one grain, it is a plain call without allocation.
void for_ranges(size_t num_units, size_t grain, unsigned threads, void (*body)(void* context, size_t begin, size_t end),
                void* context);

// Does the same for a callable.
template <class F>
void for_ranges(size_t num_units, size_t grain, unsigned threads, F&& f) {
  for_ranges(
      num_units, grain, threads,
      [](void* context, size_t begin, size_t end) { (*static_cast<F*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

// Numbers of units of work that several threads share: each takes the next one when it is free.
class Units {
 public:
  explicit Units(size_t num) noexcept : num_(num) {}

  // Calls f(i) for units that no thread has taken, in their order, until none is left.
  template <class F>
  void take(F f) {
    for (size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < num_;) f(i);
  }

 private:
  const size_t num_;
  std::atomic<size_t> next_{0};
};

// Calls body(units) on at most `threads` threads (0: all), for units of unequal cost, between which a thread keeps its
// buffers; those that may be dear should come first. A call may find none left.
template <class F>
void for_units(size_t num_units, unsigned threads, F body) {
  Units units(num_units);
  const size_t calls = std::min<size_t>(num_units, threads_of(threads));
  for_ranges(calls, 1, threads, [&](size_t, size_t) { body(units); });
}

}  // namespace vsh
