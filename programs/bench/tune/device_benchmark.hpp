// Compares a device with the processor, from the host's memory to the host's, as callers of the C ABI use them: from
// which size on the device is faster.
#pragma once

#include <vershina/vershina.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/schedule/crossovers.hpp"

namespace vsh::tuning {

// Bytes of requests, and of batches.
inline constexpr size_t kBenchmarkSizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
inline constexpr size_t kMaxBenchmark = 64 << 20;

struct BenchmarkMemory {
  std::vector<uint8_t> in = std::vector<uint8_t>(kMaxBenchmark), out = std::vector<uint8_t>(kMaxBenchmark);
};

struct DeviceBenchmark {
  std::optional<Algorithm> only;  // or all
  const gpu::DeviceInfo& device;
  BenchmarkMemory& memory;
  const std::function<void(const std::string& what)>& show;  // what is measured now
  std::vector<gpu::Crossover>& rows;                         // to be added to

  bool includes(Algorithm algorithm) const { return !only || *only == algorithm; }
  void show_step(Algorithm algorithm, gpu::CrossoverSubject subject) const {
    show(device.id + ": " + algorithm_name(algorithm) + " " + subject.name());
  }
  void add(Algorithm algorithm, gpu::CrossoverSubject subject, uint64_t least, uint64_t size) const {
    rows.push_back({device.id, gpu::fingerprint(device), algorithm, subject, least, size});
  }
};

// Measure requests under one key, and batches of messages with hashes of batches. Throw DeviceFailure; the former
// gpu::Error, too.
void benchmark_requests(const DeviceBenchmark& benchmark);
void benchmark_batches(const DeviceBenchmark& benchmark);

// Says what failed, with the name of the device.
class DeviceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Throws DeviceFailure unless OK. device: null for the processor.
void check(vsh_status status, const char* device);

// Returns seconds.
template <class F>
double seconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns the best of some: the first may have to allocate memory.
template <class F>
double best_seconds(F&& f) {
  double best = seconds_of(f), sum = best;
  for (int i = 0; i < 4 && (sum < 0.1 || (i == 0 && sum < 1)); ++i) {
    const double seconds = seconds_of(f);
    best = std::min(best, seconds), sum += seconds;
  }
  return best;
}

// Returns the least of `sizes`, bytes in ascending order, from which on the device is faster at all of them;
// gpu::kNever. Both give the seconds of a size.
uint64_t crossover(std::span<const size_t> sizes, const std::function<double(size_t)>& device,
                   const std::function<double(size_t)>& processor);

}  // namespace vsh::tuning
