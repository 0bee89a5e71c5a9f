#include "measure/clock.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <time.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Elbrus first: lcc defines the x86 macros too, and translates __rdtsc to its own clock register.
#if defined(__e2k__) || defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace vsh::measure {
namespace {

double seconds_of(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int kChain = 1 << 14;

// The empty assembly keeps the compiler from folding a chain; it emits no instruction. The addend is in a register
// because recent cores (Golden Cove on) execute additions of small constants at renaming, at no cost.
#define VSH_ADD(x) \
  x += one;        \
  asm volatile("" : "+r"(x))
#define VSH_8(statement) \
  statement;             \
  statement;             \
  statement;             \
  statement;             \
  statement;             \
  statement;             \
  statement;             \
  statement

__attribute__((noinline)) void dependent_adds() noexcept {
  uint64_t x = 1;
  uint64_t one = 1;
  asm volatile("" : "+r"(one));
  for (int i = 0; i < kChain / 64; ++i) {
    VSH_8(VSH_8(VSH_ADD(x)));
  }
}

__attribute__((noinline)) void independent_adds() noexcept {
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  uint64_t one = 1;
  asm volatile("" : "+r"(one));
  for (int i = 0; i < kChain / 64; ++i) {
    VSH_8(VSH_ADD(a); VSH_ADD(b); VSH_ADD(c); VSH_ADD(d); VSH_ADD(e); VSH_ADD(f); VSH_ADD(g); VSH_ADD(h));
  }
}

// Takes the shorter of two, so that one interrupt does not count as a slow clock.
template <class F>
double shortest_seconds(F f) noexcept {
  double best = 1e9;
  for (int i = 0; i < 2; ++i) {
    const double begin = wall_seconds();
    f();
    best = std::min(best, wall_seconds() - begin);
  }
  return best;
}

}  // namespace

double wall_seconds() noexcept { return seconds_of(CLOCK_MONOTONIC); }
double process_cpu_seconds() noexcept { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

#if defined(__e2k__) || defined(__x86_64__) || defined(__i386__)
uint64_t time_stamp() noexcept { return __rdtsc(); }
const char* time_stamp_name() noexcept { return "rdtsc"; }
#elif defined(__aarch64__)
uint64_t time_stamp() noexcept {
  uint64_t t;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(t));
  return t;
}
const char* time_stamp_name() noexcept { return "cntvct_el0"; }
#else
uint64_t time_stamp() noexcept { return 0; }
const char* time_stamp_name() noexcept { return "none"; }
#endif

double time_stamp_hz() {
  static const double hz = [] {
    const double begin = wall_seconds();
    const uint64_t ticks = time_stamp();
    while (wall_seconds() - begin < 0.05) {
    }
    const uint64_t passed = time_stamp() - ticks;
    return static_cast<double>(passed) / (wall_seconds() - begin);
  }();
  return hz;
}

Probe probe() noexcept {
  const double dependent = shortest_seconds(dependent_adds);
  const double independent = shortest_seconds(independent_adds);
  return {kChain / dependent, dependent / independent};
}

Probe calibrate() {
  const double begin = wall_seconds();
  while (wall_seconds() - begin < 0.05) dependent_adds();
  std::vector<double> hz, adds;
  for (int i = 0; i < 400; ++i) {
    const Probe p = probe();
    hz.push_back(p.core_hz);
    adds.push_back(p.adds_per_cycle);
  }
  std::sort(hz.begin(), hz.end());
  std::sort(adds.begin(), adds.end());
  return {hz[hz.size() / 2], adds[adds.size() * 3 / 4]};
}

double run_queue_seconds() {
  double seconds = 0;
#if defined(__linux__)
  std::error_code none;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream file(thread.path() / "schedstat");  // nanoseconds running, nanoseconds ready, time slices
    uint64_t running = 0, ready = 0;
    if (file >> running >> ready) seconds += 1e-9 * static_cast<double>(ready);
  }
#endif
  return seconds;
}

double perf_cycles_per_add() {
#if defined(__linux__)
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const int fd = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  if (fd < 0) return 0;
  uint64_t before = 0, after = 0;
  constexpr int kRuns = 64;
  bool ok = read(fd, &before, sizeof before) == sizeof before;
  for (int i = 0; i < kRuns; ++i) dependent_adds();
  ok = ok && read(fd, &after, sizeof after) == sizeof after;
  close(fd);
  return ok ? static_cast<double>(after - before) / (double{kRuns} * kChain) : 0;
#else
  return 0;
#endif
}

}  // namespace vsh::measure
