// The program `probe` emulated, for every kind of argument; backend_test has it on devices.
#include <gtest/gtest.h>

#include <numeric>

#include "gpu/programs/emulated_device.hpp"

#define VSH_GROUP 128

namespace vsh::gpu {
namespace {

#include "gpu/kernels/probe.c"

const test::EmulatedPrograms kPrograms = {{{"probe", ""}, {VSH_ENTRY(vsh_probe)}}};

TEST(ProbeEmulated, SeesEveryArgumentAndEveryItem) {
  test::EmulatedDevice device(kPrograms);
  const auto queue = device.make_queue();
  const auto program = device.program("probe", "");
  Kernel& kernel = program->kernel("vsh_probe");
  for (const size_t count : {size_t{1}, size_t{127}, size_t{128}, size_t{129}, size_t{1000}}) {
    std::vector<uint32_t> in(count), out(count);
    std::iota(in.begin(), in.end(), 0x12345678u);
    const auto from = device.allocate(4 * count), to = device.allocate(4 * count);
    queue->upload(*from, 0, in.data(), 4 * count);
    const uint64_t first = 0x123456789abcdefu;
    const uint32_t factor = 0xfedcba97u;
    const Argument arguments[] = {*to, *from, first, factor, uint64_t{count}};
    queue->launch(kernel, count, arguments);
    queue->download(out.data(), *to, 0, 4 * count);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t number = i + first;
      ASSERT_EQ(out[i], in[i] * factor + static_cast<uint32_t>(number >> 32 | number << 32)) << i << " of " << count;
    }
  }
}

}  // namespace
}  // namespace vsh::gpu
