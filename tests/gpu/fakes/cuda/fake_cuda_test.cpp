// Failures in the CUDA back end, over the fake CUDA driver (README.md).
#include <cstring>

#include "in_process.hpp"
#include "vershina/vershina.h"

namespace vsh::gpu {
namespace {

bool is_fake() {
  for (const auto& info : list_devices().devices)
    if (info.id == "cuda:0" && info.name.starts_with("Fake")) return true;
  return false;
}

void expect_problem(const char* word) {
  EXPECT_TRUE(list_devices().devices.empty());
  ASSERT_EQ(list_devices().problems.size(), 1u);
  EXPECT_NE(list_devices().problems[0].find(word), std::string::npos) << list_devices().problems[0];
  const Error error = failure([] { open_device("cuda:0"); });
  EXPECT_EQ(error.kind(), Error::Kind::none_found);
  EXPECT_NE(std::strstr(error.what(), word), nullptr) << error.what();
}

TEST(FakeCuda, IsThere) {
  in_process({}, [] {
    EXPECT_TRUE(is_fake());
    EXPECT_EQ(worker_ids(), std::vector<std::string>{"cuda:0"});
    run_probe(open_device("cuda:0"));
  });
}

TEST(FakeCuda, NoDeviceIsNoProblem) {
  in_process({{"FAKE_CUDA_DEVICES", "0"}}, [] {
    EXPECT_TRUE(list_devices().devices.empty());
    EXPECT_TRUE(list_devices().problems.empty());
  });
}

TEST(FakeCuda, ADriverThatIsTooOldOrFailsIsOne) {
  in_process({{"FAKE_CUDA_DRIVER", "10020"}}, [] { expect_problem("too old: it is for CUDA 10.2"); });
  in_process({{"FAKE_CUDA_INIT", "803"}}, [] { expect_problem("fails to start: error 803"); });
}

TEST(FakeCuda, ADriverThatLacksAFunctionIsTooOld) {
  const char* const folder = std::getenv("LD_LIBRARY_PATH");
  const std::string old = std::string(folder ? folder : "") + "/old";
  in_process({{"LD_LIBRARY_PATH", old.c_str()}},
             [] { expect_problem("too old: it has no cuDevicePrimaryCtxRelease_v2"); });
}

// NVRTC 12.4 and a driver for CUDA 11: its output is refused, and the message names the versions.
TEST(FakeCuda, ACompilerThatIsNewerThanTheDriver) {
  in_process({{"FAKE_CUDA_DRIVER", "11080"}, {"VERSHINA_DEVICE_PROGRAMS", "off"}}, [] {
    const Error error = failure([] { run_probe(open_device("cuda:0")); });
    EXPECT_EQ(error.kind(), Error::Kind::driver);
    EXPECT_NE(std::strstr(error.what(), "CUDA 11.8, does not take what NVRTC 12.4 made"), nullptr) << error.what();
  });
}

// The driver compiles PTX for a device that is newer than NVRTC; an older one is unsupported.
TEST(FakeCuda, DevicesThatTheCompilerDoesNotKnow) {
  in_process({{"FAKE_CUDA_CAPABILITY", "121"}}, [] { run_probe(open_device("cuda:0")); });
  in_process({{"FAKE_CUDA_CAPABILITY", "61"}}, [] {
    const Error error = failure([] { run_probe(open_device("cuda:0")); });
    EXPECT_EQ(error.kind(), Error::Kind::compile);
    EXPECT_NE(std::strstr(error.what(), "sm_61"), nullptr) << error.what();
  });
}

TEST(FakeCuda, TooLittleMemory) {
  in_process({{"FAKE_CUDA_ALLOCATION_FAILS", "2"}}, [] {
    Device& device = open_device("cuda:0");
    const auto first = device.allocate(100);
    EXPECT_EQ(failure([&] { device.allocate(100); }).kind(), Error::Kind::memory);
  });
  in_process({{"FAKE_CUDA_MEMORY", "1000000"}}, [] {
    Device& device = open_device("cuda:0");
    EXPECT_EQ(device.info().memory, 1'000'000u);
    EXPECT_EQ(failure([&] { device.allocate(1'000'001); }).kind(), Error::Kind::memory);
    run_probe(device);  // it is not lost
  });
}

TEST(FakeCuda, ALostDeviceTakesNoMoreWork) {
  in_process({{"FAKE_CUDA_LOST_AFTER", "3"}, {"FAKE_CUDA_STRICT", "0"}, {"FAKE_CUDA_DEVICES", "2"}}, [] {
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

// Seals packets on a device that is lost while it works. Text and room for the tag, in place.
vsh_status seal_packets(const char* id, std::vector<std::vector<uint8_t>>& packets, std::vector<vsh_mgm_job>& jobs) {
  static constexpr uint8_t kKey[32] = {1}, kNonce[8] = {2};
  vsh_options options = VSH_OPTIONS_INIT;
  options.device = id;
  vsh_streams* streams = nullptr;
  EXPECT_EQ(vsh_streams_new(&streams, VSH_MAGMA, kKey, 1, &options), VSH_OK) << vsh_device_message();
  for (auto& p : packets)
    jobs.push_back(
        {VSH_STREAM_ENCRYPT, nullptr, 0, kNonce, 8, nullptr, 0, p.data(), p.size() - 8, p.data(), p.size(), 8, VSH_OK});
  const vsh_status status = vsh_streams_mgm(streams, jobs.data(), jobs.size());
  vsh_streams_free(streams);
  return status;
}

TEST(FakeCuda, PacketsOfADeviceThatIsLost) {
  in_process({{"FAKE_CUDA_LOST_AFTER", "4"}, {"FAKE_CUDA_STRICT", "0"}}, [] {
    const std::vector<std::vector<uint8_t>> before(200, std::vector<uint8_t>(508, 3));
    auto packets = before;
    std::vector<vsh_mgm_job> jobs;
    EXPECT_EQ(seal_packets("cuda:0", packets, jobs), VSH_E_DEVICE);
    for (const vsh_mgm_job& job : jobs) EXPECT_EQ(job.status, VSH_E_DEVICE);
    EXPECT_EQ(packets, before);
  });
  in_process({{"FAKE_CUDA_LOST_AFTER", "4"}, {"FAKE_CUDA_STRICT", "0"}}, [] {
    // Several pieces: the device is processing one when it is lost.
    std::vector<std::vector<uint8_t>> packets(3000, std::vector<uint8_t>(1408, 3)), expected = packets;
    std::vector<vsh_mgm_job> jobs, expected_jobs;
    EXPECT_EQ(seal_packets("all", packets, jobs), VSH_OK);
    EXPECT_EQ(seal_packets("cpu", expected, expected_jobs), VSH_OK);
    EXPECT_EQ(packets, expected);
  });
}

// A kernel that is given another device's memory: the fake's context ends as a GPU's would.
TEST(FakeCuda, AFaultInAKernelIsTheEndOfTheDevice) {
  // LeakSanitizer cannot read a process in which a kernel has faulted.
  const auto no_leak_check = std::pair{"ASAN_OPTIONS", "detect_leaks=0"};
  in_process({{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_STRICT", "0"}, no_leak_check}, [] {
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

// A caller that captures its stream into a graph gets an error, and keeps the device.
TEST(FakeCuda, AStreamThatIsCapturedIsNoLoss) {
  for (const char* const status : {"900", "901", "906", "908"}) {
    in_process({{"FAKE_CUDA_LAUNCH_STATUS", status}}, [] {
      Device& device = open_device("cuda:0");
      EXPECT_EQ(failure([&] { run_probe(device); }).kind(), Error::Kind::driver);
      ::unsetenv("FAKE_CUDA_LAUNCH_STATUS");
      run_probe(device);
    });
  }
}

}  // namespace
}  // namespace vsh::gpu
