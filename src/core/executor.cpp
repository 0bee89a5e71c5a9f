#include "core/executor.hpp"

#include <algorithm>
#include <map>

#include "core/data_independent_timing.hpp"
#include "core/wipe.hpp"

#if VSH_WITH_TBB
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace vsh {

#if VSH_WITH_TBB

unsigned available_threads() noexcept {
  return static_cast<unsigned>(std::max(1, oneapi::tbb::info::default_concurrency()));
}

namespace {

// Returns the calling thread's arena of `threads` threads. It is kept, because its workers wait there for a while for
// more: they join the next call within 2 microseconds, a new arena after 30 to 110. Each thread has its own, because a
// caller that finds no place in an arena waits for one.
oneapi::tbb::task_arena& arena_of(unsigned threads) {
  thread_local std::map<unsigned, oneapi::tbb::task_arena> arenas;
  return arenas.try_emplace(threads, static_cast<int>(threads)).first->second;
}

}  // namespace

void for_ranges(size_t num_units, size_t grain, unsigned threads, void (*body)(void*, size_t, size_t), void* context) {
  if (threads == 1) return body(context, 0, num_units);  // oneTBB ends the program when memory is exhausted
  threads = threads_of(threads);
  const size_t grains = (num_units + grain - 1) / grain;
  if (threads <= 1 || grains <= 1) return body(context, 0, num_units);

  // Several pieces per thread, so that a preempted thread does not delay the others at the end; each piece is
  // contiguous, so every thread reads memory in order.
  constexpr size_t kPiecesPerThread = 8;
  const size_t pieces = std::min(grains, threads * kPiecesPerThread);
  const size_t grains_per_piece = (grains + pieces - 1) / pieces;
  const auto run_piece = [&](size_t piece) {
    const size_t begin = std::min(num_units, piece * grains_per_piece * grain);
    const size_t end = std::min(num_units, (piece + 1) * grains_per_piece * grain);
    if (begin == end) return;
    const DataIndependentTiming timing;
    body(context, begin, end);
    clear_registers();
  };
  arena_of(threads).execute(
      [&] { oneapi::tbb::parallel_for(size_t{0}, pieces, run_piece, oneapi::tbb::simple_partitioner{}); });
}

#else

unsigned available_threads() noexcept { return 1; }

void for_ranges(size_t num_units, size_t, unsigned, void (*body)(void*, size_t, size_t), void* context) {
  body(context, 0, num_units);
}

#endif

}  // namespace vsh
