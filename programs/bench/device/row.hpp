// Measured rates of a device, and the rates to compare with.
#pragma once

#include <vector>

#include "gpu/device/device.hpp"
#include "programs/bench/device/timing.hpp"
#include "programs/bench/report/published.hpp"
#include "programs/bench/setup/task.hpp"

namespace vsh::bench {

// Rates of the bus: page-locked memory, the pieces of the library's own pipeline, no work between. Bytes a second.
struct CopyRates {
  size_t piece = 0, slots = 0;
  double in = 0, out = 0;  // only one direction
  double both = 0;         // both at once, in each
};

struct DeviceRow {
  enum class Place {
    device,    // data in the device's memory, launches queued
    streams,   // the same, many messages, each under its own key
    host,      // from and to page-locked memory of the host
    pageable,  // from and to any other
    together,  // every device and the processor at once, from and to the host's memory
    file       // a whole run of the program, from file to file
  };
  Place place;
  Work work;
  size_t bytes = 0;  // of a run, all messages together
  size_t messages = 1;
  Timing timing;
  double processor = 0;  // bytes a second of the processor's best kernel on all its threads, the same work
  double copies = 0;     // bytes a second of plain copies, if data cross the bus

  double rate() const { return static_cast<double>(bytes) / timing.seconds; }
};

const char* place_name(DeviceRow::Place place) noexcept;

struct DeviceReport {
  gpu::DeviceInfo device;
  CopyRates copies;
  std::vector<DeviceRow> rows;
  std::vector<std::string> skipped;  // each with its reason
};

}  // namespace vsh::bench
