// Description of the machine and library of a measurement.
#pragma once

#include <string>

#include "measure/clock.hpp"

namespace vsh::measure {

struct Machine {
  std::string cpu;       // brand string
  std::string features;  // those used by kernels
  std::string compiler;
  std::string version;  // of the library
  unsigned processors;  // that this process may use
  int pinned_to;        // -1: not pinned
  std::string forced;   // the kernels named by VERSHINA_KERNEL; usually empty
  Probe quiet;          // core clock and throughput of an undisturbed core
  double tsc_hz;
  double perf_cycles_per_add;  // 0: perf_event_open is not allowed
  std::string governor;        // of the clock, as the kernel names it: "performance"; empty: not reported
  std::string date;            // of the start, UTC: "2026-11-23T14:05Z"
};

// Calibrates the clocks on the processor that the caller has pinned itself to. version and forced: of the measured
// library.
Machine describe_machine(unsigned processors, int pinned_to, std::string version, std::string forced);

// Returns a description of a few lines.
std::string to_text(const Machine& machine);

// Returns its line about the processors and the choice of kernels.
std::string run_line(const Machine& machine);

}  // namespace vsh::measure
