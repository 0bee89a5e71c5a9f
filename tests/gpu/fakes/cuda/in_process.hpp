// Shared by tests over the fake CUDA driver. Each case is a separate process: a driver's first answer holds for all of
// it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/support/device_test.hpp"

namespace vsh::gpu {

inline constexpr size_t kCount = 1000;

// Runs f() in a new process under these variables. It ends with 0 on success.
template <class F>
void in_process(std::initializer_list<std::pair<const char*, const char*>> variables, F&& f) {
  if (!std::getenv("FAKE_CUDA_STRICT")) GTEST_SKIP() << "the fake CUDA driver is not in LD_LIBRARY_PATH";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<std::pair<const char*, std::optional<std::string>>> before;
  for (const auto& [name, value] : variables) {
    const char* const old = std::getenv(name);
    before.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
    ::setenv(name, value, 1);
  }
  EXPECT_EXIT(
      {
        f();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
  for (const auto& [name, value] : before) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
}

template <class F>
Error failure(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {Error::Kind::lost, ""};
}

inline void run_probe(Device& device, size_t times = 1) {
  const auto program = device.program("probe", "");
  const auto buffer = device.allocate(4 * kCount);
  const auto queue = device.make_queue();
  std::vector<uint32_t> words(kCount, 1);
  queue->upload(*buffer, 0, words.data(), 4 * kCount);
  const Argument arguments[] = {*buffer, *buffer, uint64_t{0}, 2u, uint64_t{kCount}};
  for (size_t i = 0; i < times; ++i) queue->launch(program->kernel("vsh_probe"), kCount, arguments);
  queue->finish();
}

}  // namespace vsh::gpu
