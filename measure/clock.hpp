// Clocks of the benchmark, and the probe that tells how fast the core runs and whether somebody shares it.
//
// Three sources, each named in the output:
//   wall and CPU time     CLOCK_MONOTONIC; CLOCK_PROCESS_CPUTIME_ID, which counts all threads
//   time-stamp counter    constant rate, not the core's clock: rdtsc (x86, Elbrus), cntvct_el0 (aarch64)
//   core clock            a chain of dependent additions, one cycle each on every CPU that we know; where
//                         perf_event_open is allowed, its cycle counter checks that this is so
#pragma once

#include <cstdint>
#include <string>

namespace vsh::measure {

double wall_seconds() noexcept;
double process_cpu_seconds() noexcept;

// 0 for ever where the CPU has no counter that a program may read.
uint64_t time_stamp() noexcept;
const char* time_stamp_name() noexcept;  // "rdtsc"; "none"
double time_stamp_hz();                  // measured once against the wall clock; 0 without a counter

// About 15 microseconds on a quiet core.
struct Probe {
  double core_hz;         // dependent additions per second: the clock right now
  double adds_per_cycle;  // independent additions: falls when another hardware thread takes part of the core
};
Probe probe() noexcept;

// Quiet-core throughput: the upper quartile of many probes, after a warm-up that wakes the clock up.
Probe calibrate();

// How long this process's threads have been ready to run while others had their processors, in all; 0 where
// the system does not tell.
double run_queue_seconds();

// Core cycles per dependent addition by the kernel's cycle counter; 0 where perf_event_open is not allowed.
double perf_cycles_per_add();

}  // namespace vsh::measure
