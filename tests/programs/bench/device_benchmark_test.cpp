// The size from which a device is faster, with synthetic times.
#include "programs/bench/tune/device_benchmark.hpp"

#include <gtest/gtest.h>

namespace vsh::tuning {
namespace {

// Seconds of each of kBenchmarkSizes, by the device; the processor takes a second for a MiB.
uint64_t crossover_of(const std::vector<double>& device, size_t* measured = nullptr) {
  size_t at = 0;
  const uint64_t least = crossover(
      kBenchmarkSizes, [&](size_t) { return device[at++]; },
      [](size_t size) { return static_cast<double>(size) / (1 << 20); });
  if (measured) *measured = at;
  return least;
}

// The processor: 1/16, 1/4, 1, 4, 16, 64.
TEST(Crossover, IsTheFirstSizeFromWhichOnTheDeviceIsFaster) {
  EXPECT_EQ(crossover_of({0.01, 0.1, 0.5, 1, 4, 16}), 64u << 10);
  EXPECT_EQ(crossover_of({2, 2, 2, 2, 4, 16}), 4u << 20);
  EXPECT_EQ(crossover_of({2, 2, 2, 5, 17, 63}), 64u << 20);
  EXPECT_EQ(crossover_of({2, 2, 2, 5, 17, 64}), gpu::kNever) << "as fast is not faster";
  EXPECT_EQ(crossover_of({2, 2, 0.9, 5, 15, 20}), 16u << 20) << "faster once, and then no more";
}

TEST(Crossover, IsNotSoughtWhereItCannotCome) {
  size_t measured = 0;
  EXPECT_EQ(crossover_of({1, 4, 16, 64, 256, 1024}, &measured), gpu::kNever);
  EXPECT_EQ(measured, 2u);
  // A chain takes the same time for many messages as for few: slow, but with more bytes a second each time.
  EXPECT_EQ(crossover_of({30, 30, 30, 30, 30, 30}, &measured), 64u << 20);
  EXPECT_EQ(measured, std::size(kBenchmarkSizes));
}

}  // namespace
}  // namespace vsh::tuning
