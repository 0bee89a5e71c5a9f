// What the CUDA back end does where things go wrong, over the player of CUDA (cuda_player/README.md). Each case is a
// process of its own: what a driver said first holds for all of it.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "gpu/cuda_api.hpp"
#include "gpu/cuda_interop.hpp"
#include "gpu/device_test.hpp"

namespace vsh::gpu {
namespace {

constexpr size_t kCount = 1000;

bool is_played() {
  for (const auto& info : list_devices().devices)
    if (info.id == "cuda:0" && info.name.starts_with("Player")) return true;
  return false;
}

// f() in a process that begins anew, under these variables. It says OK by ending with 0.
template <class F>
void in_process(std::initializer_list<std::pair<const char*, const char*>> variables, F&& f) {
  if (!std::getenv("CUDA_PLAYER_STRICT")) GTEST_SKIP() << "the player of CUDA is not in LD_LIBRARY_PATH";
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

void expect_problem(const char* word) {
  EXPECT_TRUE(list_devices().devices.empty());
  ASSERT_EQ(list_devices().problems.size(), 1u);
  EXPECT_NE(list_devices().problems[0].find(word), std::string::npos) << list_devices().problems[0];
  const Error error = failure([] { open_device("cuda:0"); });
  EXPECT_EQ(error.kind(), Error::Kind::none_found);
  EXPECT_NE(std::strstr(error.what(), word), nullptr) << error.what();
}

void run_probe(Device& device, size_t times = 1) {
  const auto program = device.program("probe", "");
  const auto buffer = device.allocate(4 * kCount);
  const auto queue = device.make_queue();
  std::vector<uint32_t> words(kCount, 1);
  queue->upload(*buffer, 0, words.data(), 4 * kCount);
  const Argument arguments[] = {*buffer, *buffer, uint64_t{0}, 2u, uint64_t{kCount}};
  for (size_t i = 0; i < times; ++i) queue->launch(program->kernel("vsh_probe"), kCount, arguments);
  queue->finish();
}

TEST(CudaPlayer, IsThere) {
  in_process({}, [] {
    EXPECT_TRUE(is_played());
    EXPECT_EQ(worker_ids(), std::vector<std::string>{"cuda:0"});
    run_probe(open_device("cuda:0"));
  });
}

TEST(CudaPlayer, NoDeviceIsNoProblem) {
  in_process({{"CUDA_PLAYER_DEVICES", "0"}}, [] {
    EXPECT_TRUE(list_devices().devices.empty());
    EXPECT_TRUE(list_devices().problems.empty());
  });
}

TEST(CudaPlayer, ADriverThatIsTooOldOrFailsIsOne) {
  in_process({{"CUDA_PLAYER_DRIVER", "10020"}}, [] { expect_problem("too old: it is for CUDA 10.2"); });
  in_process({{"CUDA_PLAYER_INIT", "803"}}, [] { expect_problem("fails to start: error 803"); });
}

// NVRTC 12.4 and a driver for CUDA 11: what it makes is not taken, and the message says of which versions.
TEST(CudaPlayer, ACompilerThatIsNewerThanTheDriver) {
  in_process({{"CUDA_PLAYER_DRIVER", "11080"}, {"VERSHINA_PROGRAMS", "off"}}, [] {
    const Error error = failure([] { run_probe(open_device("cuda:0")); });
    EXPECT_EQ(error.kind(), Error::Kind::driver);
    EXPECT_NE(std::strstr(error.what(), "CUDA 11.8, does not take what NVRTC 12.4 made"), nullptr) << error.what();
  });
}

// The driver compiles PTX for a device that is newer than NVRTC; an older one nobody can serve.
TEST(CudaPlayer, DevicesThatTheCompilerDoesNotKnow) {
  in_process({{"CUDA_PLAYER_CAPABILITY", "121"}}, [] { run_probe(open_device("cuda:0")); });
  in_process({{"CUDA_PLAYER_CAPABILITY", "61"}}, [] {
    const Error error = failure([] { run_probe(open_device("cuda:0")); });
    EXPECT_EQ(error.kind(), Error::Kind::compile);
    EXPECT_NE(std::strstr(error.what(), "sm_61"), nullptr) << error.what();
  });
}

TEST(CudaPlayer, TooLittleMemory) {
  in_process({{"CUDA_PLAYER_ALLOCATION_FAILS", "2"}}, [] {
    Device& device = open_device("cuda:0");
    const auto first = device.allocate(100);
    EXPECT_EQ(failure([&] { device.allocate(100); }).kind(), Error::Kind::memory);
  });
  in_process({{"CUDA_PLAYER_MEMORY", "1000000"}}, [] {
    Device& device = open_device("cuda:0");
    EXPECT_EQ(device.info().memory, 1'000'000u);
    EXPECT_EQ(failure([&] { device.allocate(1'000'001); }).kind(), Error::Kind::memory);
    run_probe(device);  // it is not lost
  });
}

TEST(CudaPlayer, ALostDeviceTakesNoMoreWork) {
  in_process({{"CUDA_PLAYER_LOST_AFTER", "3"}, {"CUDA_PLAYER_STRICT", "0"}, {"CUDA_PLAYER_DEVICES", "2"}}, [] {
    Device& device = open_device("cuda:0");
    const Error error = failure([&] { run_probe(device, 4); });
    EXPECT_EQ(error.kind(), Error::Kind::lost);
    EXPECT_NE(std::strstr(error.what(), "CUDA_ERROR_LAUNCH_FAILED"), nullptr) << error.what();
    EXPECT_EQ(failure([&] { device.allocate(4); }).kind(), Error::Kind::lost);
    EXPECT_EQ(failure([&] { device.make_queue(); }).kind(), Error::Kind::lost);
    EXPECT_EQ(failure([&] { device.program("probe", ""); }).kind(), Error::Kind::lost);
    run_probe(open_device("cuda:1"));  // the other one goes on
  });
}

// A kernel that is given another device's memory: the player's context ends as a GPU's would.
TEST(CudaPlayer, AFaultInAKernelIsTheEndOfTheDevice) {
  // LeakSanitizer cannot read a process in which a kernel has faulted.
  const auto no_leak_check = std::pair{"ASAN_OPTIONS", "detect_leaks=0"};
  in_process({{"CUDA_PLAYER_DEVICES", "2"}, {"CUDA_PLAYER_STRICT", "0"}, no_leak_check}, [] {
    Device& device = open_device("cuda:0");
    const auto foreign = open_device("cuda:1").allocate(4 * kCount);
    const auto queue = device.make_queue();
    const Argument arguments[] = {*foreign, *foreign, uint64_t{0}, 2u, uint64_t{kCount}};
    queue->launch(device.program("probe", "")->kernel("vsh_probe"), kCount, arguments);
    const Error error = failure([&] { queue->finish(); });
    EXPECT_EQ(error.kind(), Error::Kind::lost);
    EXPECT_NE(std::strstr(error.what(), "CUDA_ERROR_ILLEGAL_ADDRESS"), nullptr) << error.what();
  });
}

TEST(CudaPlayer, NothingWorksInAForkedChildAndNothingWaits) {
  in_process({}, [] {
    Device& device = open_device("cuda:0");
    auto queue = device.make_queue();
    const pid_t child = ::fork();
    if (child == 0) {
      const Error error = failure([&] { device.allocate(4); });
      queue.reset();
      ::_exit(error.kind() == Error::Kind::lost && std::strstr(error.what(), "forked") ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    run_probe(device);
  });
}

// Memory and a stream of the caller's, in the primary context of the second device.
TEST(CudaPlayer, MemoryAndStreamsOfTheCaller) {
  in_process({{"CUDA_PLAYER_DEVICES", "2"}}, [] {
    const cuda::Functions& cu = cuda::functions();
    cuda::CUcontext context = nullptr;
    cuda::CUdeviceptr at = 0;
    cuda::CUstream stream = nullptr;
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 1), 0);
    ASSERT_EQ(cu.cuCtxPushCurrent_v2(context), 0);
    ASSERT_EQ(cu.cuMemAlloc_v2(&at, 4 * kCount), 0);
    ASSERT_EQ(cu.cuStreamCreate(&stream, 0), 0);
    ASSERT_EQ(cu.cuMemsetD32Async(at, 21, kCount, stream), 0);

    auto* const p = reinterpret_cast<uint32_t*>(at);
    EXPECT_EQ(device_of_pointer(p, 4 * kCount), "cuda:1");
    EXPECT_EQ(device_of_pointer(p + kCount - 1, 4), "cuda:1");
    for (const auto& place :
         {std::pair<const void*, size_t>{p, 4 * kCount + 1}, {p + kCount - 1, 5}, {&at, 1}})
      EXPECT_EQ(failure([&] { device_of_pointer(place.first, place.second); }).kind(), Error::Kind::none_found);
    Device& device = open_device("cuda:1");
    EXPECT_FALSE(device.is_page_locked(p, 4));
    {
      const auto buffer = adopt_buffer(device, p, 4 * kCount);
      const auto queue = adopt_stream(device, stream);  // after what the caller asked it for
      const Argument arguments[] = {*buffer, *buffer, uint64_t{0}, 2u, uint64_t{kCount}};
      queue->launch(device.program("probe", "")->kernel("vsh_probe"), kCount, arguments);
    }
    std::vector<uint32_t> words(kCount);
    ASSERT_EQ(cu.cuMemcpyDtoHAsync_v2(words.data(), at, 4 * kCount, stream), 0);
    EXPECT_EQ(words, std::vector<uint32_t>(kCount, 42)) << "i rotated by half a word is 0 in its low half";
    ASSERT_EQ(cu.cuMemsetD32Async(at, 0, kCount, stream), 0);
    ASSERT_EQ(cu.cuStreamDestroy_v2(stream), 0);
    ASSERT_EQ(cu.cuMemFree_v2(at), 0);
  });
}

}  // namespace
}  // namespace vsh::gpu
