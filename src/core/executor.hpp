// Cuts work into ranges of whole units and runs them on threads (oneTBB; one thread in builds without it).
#pragma once

#include <cstddef>

namespace vsh {

// Smallest number of bytes worth another thread: waking one costs some 10 microseconds.
inline constexpr size_t kBytesPerThread = 128 * 1024;

// Returns the hardware threads that this process may use; at least 1.
unsigned available_threads() noexcept;

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

}  // namespace vsh
