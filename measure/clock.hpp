// Clocks of the benchmark, and the probe of the core's clock and of a busy sibling thread.
//
// Three sources, each named in the output:
//   wall and CPU time     CLOCK_MONOTONIC; CLOCK_PROCESS_CPUTIME_ID, which counts all threads
//   time-stamp counter    constant rate, not the core's clock: rdtsc (x86, Elbrus), cntvct_el0 (aarch64)
//   core clock            a chain of dependent additions, one cycle each on every known CPU; where
//                         perf_event_open is allowed, its cycle counter checks that this is so
#pragma once

#include <cstdint>
#include <string>

namespace vsh::measure {

double wall_seconds() noexcept;
double process_cpu_seconds() noexcept;

// Always 0 if the CPU has no counter readable by programs.
uint64_t time_stamp() noexcept;
const char* time_stamp_name() noexcept;  // "rdtsc"; "none"
double time_stamp_hz();                  // measured once against the wall clock; 0 without a counter

// About 15 microseconds on a quiet core.
struct Probe {
  double core_hz;         // dependent additions per second: the current clock
  double adds_per_cycle;  // independent additions: drops when another hardware thread is busy
};
Probe probe() noexcept;

// Quiet-core throughput: the upper quartile of many probes, after a warm-up that raises the clock.
Probe calibrate();

// Returns the total time that this process's threads were ready to run but had no processor; 0 if unknown.
double run_queue_seconds();

// Returns core cycles per dependent addition by the kernel's cycle counter; 0 if perf_event_open is not allowed.
double perf_cycles_per_add();

}  // namespace vsh::measure
