// The measurements of `vershina bench --device`, one kind of row each. Results of a device are compared with the
// processor's before it is timed.
#pragma once

#include "programs/bench/device/row.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/setup/options.hpp"

namespace vsh::bench {

// A device, and the sizes of data of a run.
struct DeviceRun {
  gpu::Device& device;
  const Stopwatch& stopwatch;
  const Options& options;
  unsigned threads;              // of the processor
  size_t resident, host;         // bytes
  std::vector<size_t> messages;  // numbers of them

  bool wants(const Work& work) const;
};

// Throws cli::Failure (data) if a result is wrong, gpu::Error if the device fails.
CopyRates measure_copies(const DeviceRun& run);
void measure_resident(const DeviceRun& run, DeviceReport& report);  // resident.cpp
void measure_streams(const DeviceRun& run, DeviceReport& report);   // streams.cpp
void measure_host(const DeviceRun& run, DeviceReport& report);      // host.cpp
void measure_files(const DeviceRun& run, DeviceReport& report);

// Returns the rate of the CPU's default kernel on all threads.
double processor_rate(const DeviceRun& run, const Work& work, const uint8_t* in, uint8_t* out, size_t bytes);
// Throws cli::Failure unless they are equal.
void require_same(const Work& work, const char* where, const uint8_t* got, const uint8_t* expected, size_t bytes);

}  // namespace vsh::bench
