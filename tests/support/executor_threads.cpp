// Stands in for src/core/executor.cpp under ThreadSanitizer. The distribution's oneTBB is not instrumented, so every
// synchronisation in it looks like a race; std::jthread's is visible. Work is divided in the same way: the check is
// that no two pieces access the same bytes.
#include "core/executor.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace vsh {

unsigned available_threads() noexcept { return std::max(2u, std::thread::hardware_concurrency()); }

void for_ranges(size_t num_units, size_t grain, unsigned threads, void (*body)(void*, size_t, size_t), void* context) {
  threads = threads == 0 ? available_threads() : std::min(threads, available_threads());
  const size_t grains = (num_units + grain - 1) / grain;
  if (threads <= 1 || grains <= 1) return body(context, 0, num_units);

  const size_t pieces = std::min<size_t>(grains, threads * 8);
  const size_t step = (grains + pieces - 1) / pieces * grain;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t begin; (begin = next.fetch_add(step, std::memory_order_relaxed)) < num_units;)
      body(context, begin, std::min(num_units, begin + step));
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
}

}  // namespace vsh
