// Measures kernels in the first batch of a process, where no file has their costs.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>

#include "core/registry.hpp"
#include "core/row_costs.hpp"
#include "core/unrolled.hpp"

namespace vsh::streams {

// Returns nanoseconds since any moment.
using Clock = uint64_t (*)() noexcept;
inline uint64_t steady_nanoseconds() noexcept {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// Takes the median of many times of a few microseconds. With other guests on the machine a row that fills the
// ports takes up to twice its cycles for stretches of microseconds; the least sample of a short run falls between them,
// that of a long one cannot, and rows of few lanes would seem cheaper than they are, compared with wide ones.
class Stopwatch {
 public:
  // In units of 4096 dependent additions, a cycle each on every CPU.
  explicit Stopwatch(Clock clock) : clock_(clock) {
    const auto add = [] { add_dependently(kAdditions); };
    if (repeats_for(add) <= kMostOfUnit) cycle_ = nanoseconds(add)[0] / kAdditions;
  }

  // Returns whether the clock ticks finely enough.
  bool works() const noexcept { return cycle_ > 0; }
  // Return the core cycles of a run, and of two whose difference counts. Only if it works.
  template <class Run>
  double cycles(Run run) const {
    return nanoseconds(run)[0] / cycle_;
  }
  template <class First, class Second>
  std::array<double, 2> cycles(First first, Second second) const {
    const auto [a, b] = nanoseconds(first, second);
    return {a / cycle_, b / cycle_};
  }

 private:
  static constexpr int kAdditions = 4096;
  static constexpr unsigned kMostOfUnit = 8;  // fill a sample on a clock of microseconds
  static constexpr size_t kFewestSamples = 3, kMostSamples = 64;
  static constexpr uint64_t kSample = 1'000;     // nanoseconds
  static constexpr uint64_t kEnough = 60'000;    // of all samples
  static constexpr unsigned kMostRepeats = 128;  // in one sample

  static void add_dependently(int num) noexcept {
    // Eight in a pass, because a loop of one can take two cycles (Zen 4, where its branch crosses a line).
    for (uint64_t x = 1; num > 0; num -= 8)
      unrolled<8>(VSH_UNROLLED() {
        x += x;
        __asm__ volatile("" : "+r"(x));
      });
  }

  template <class Run>
  uint64_t elapsed(Run& run, unsigned repeats) const {
    const uint64_t begin = clock_();
    for (unsigned i = 0; i < repeats; ++i) run();
    return clock_() - begin;
  }

  // Returns how many runs make a sample; warms up.
  template <class Run>
  unsigned repeats_for(Run& run) const {
    unsigned repeats = 1;
    while (repeats < kMostRepeats && elapsed(run, repeats) < kSample) repeats *= 2;
    return repeats;
  }

  // Returns the time of each run. They run in turns, and a run's excess over the first one comes from neighbouring
  // samples, since a disturbance of the machine slows both.
  template <class... Runs>
  std::array<double, sizeof...(Runs)> nanoseconds(Runs&... runs) const {
    constexpr size_t kRuns = sizeof...(Runs);
    const std::array<unsigned, kRuns> repeats = {repeats_for(runs)...};
    double times[kRuns][kMostSamples];
    uint64_t total = 0;
    size_t num = 0;
    for (; num < kMostSamples && (num < kFewestSamples || (total && total < kEnough)); ++num) {
      const auto sample = [&](size_t k, auto& run) {
        const uint64_t time = elapsed(run, repeats[k]);
        times[k][num] = static_cast<double>(time) / repeats[k], total += time;
      };
      size_t k = 0;
      (sample(k++, runs), ...);
    }
    const auto median = [&](double* first) {
      std::nth_element(first, first + num / 2, first + num);
      return first[num / 2];
    };
    for (size_t k = 1; k < kRuns; ++k)
      for (size_t i = 0; i < num; ++i) times[k][i] -= times[0][i];
    std::array<double, kRuns> result;
    for (size_t k = 0; k < kRuns; ++k) result[k] = median(times[k]) + (k ? result[0] : 0);
    const auto between_ticks = [&](size_t k, auto& run) {
      if (result[k] == 0) result[k] = static_cast<double>(elapsed(run, 8 * repeats[k])) / (8 * repeats[k]);
    };
    size_t k = 0;
    (between_ticks(k++, runs), ...);
    return result;
  }

  const Clock clock_;
  double cycle_ = 0;  // nanoseconds
};

// Returns what `measure` returned in this process the first time that a row's costs of this kind were asked for,
// whichever thread asked.
template <class Cost, class Measure>
const Cost& once_for(const KernelInfo& row, Measure measure) {
  struct Measured {
    std::once_flag once;
    Cost cost;
  };
  static Measured measured[tuner::kMaxRows];
  const auto infos = kernel_infos();
  Measured& of = measured[std::find(infos.begin(), infos.end(), &row) - infos.begin()];
  std::call_once(of.once, [&] { of.cost = measure(); });
  return of.cost;
}

}  // namespace vsh::streams
