// `auto` goes by the file of measured crossovers: the test writes one that is accepted, for all devices that are here,
// and sees by the launches of their kernels who did the work.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/registry.hpp"
#include "gpu/cuda/api.hpp"
#include "gpu/opencl/api.hpp"
#include "gpu/schedule/crossovers.hpp"
#include "gpu/support/device_test.hpp"
#include "support/random.hpp"
#include "vershina/vershina.h"

namespace vsh::gpu {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kLeastCtr = 256 << 10;                                                         // bytes
constexpr size_t kLeastOf512 = 256, kLeastOf4096 = 64, kLeastHashes = 128, kLeastPackets = 96;  // messages

std::vector<Crossover> all_crossovers() {
  std::vector<Crossover> rows;
  for (const DeviceInfo& info : list_devices().devices) {
    const auto add = [&](Algorithm algorithm, CrossoverSubject subject, uint64_t least, uint64_t size) {
      rows.push_back({info.id, fingerprint(info), algorithm, subject, least, size});
    };
    add(Algorithm::magma, Operation::ctr, kLeastCtr, kMinPiece);
    add(Algorithm::magma, Operation::cbc_decrypt, kNever, kMinPiece);
    add(Algorithm::gost28147, batch_of(Operation::cnt), kLeastOf512, 512);
    add(Algorithm::gost28147, batch_of(Operation::cnt), kLeastOf4096, 4096);
    add(Algorithm::gost28147, batch_of(Operation::imit), kNever, 512);
    add(Algorithm::magma, batch_of(Operation::mgm), kLeastPackets, 1024);
    add(Algorithm::streebog, batch_of(Operation::hash), kLeastHashes, 512);
  }
  return rows;
}

// ---- Launches: functions of the test stand in front of the drivers' -------------------------------------------------

std::atomic<int> launches = 0;
std::atomic<bool> launches_fail = false;
decltype(opencl::Functions::clEnqueueNDRangeKernel) opencl_launch;
decltype(cuda::Functions::cuLaunchKernel) cuda_launch;

void count_launches() {
  if (opencl_launch || cuda_launch) return;
  try {
    auto& launch = const_cast<opencl::Functions&>(opencl::functions()).clEnqueueNDRangeKernel;
    opencl_launch = launch;
    launch = [](auto... arguments) -> opencl::cl_int {
      ++launches;
      return launches_fail ? opencl::CL_OUT_OF_RESOURCES : opencl_launch(arguments...);
    };
  } catch (const Error&) {  // no OpenCL here
  }
  try {
    auto& launch = const_cast<cuda::Functions&>(cuda::functions()).cuLaunchKernel;
    cuda_launch = launch;
    launch = [](auto... arguments) -> cuda::CUresult {
      ++launches;
      constexpr auto kLaunchFailed = static_cast<cuda::CUresult>(719);
      return launches_fail ? kLaunchFailed : cuda_launch(arguments...);
    };
  } catch (const Error&) {  // no CUDA here
  }
}

// ---- Works, each compared with what the processor makes -------------------------------------------------------------

enum class By { processor, device };

vsh_options options_for(const char* device) {
  vsh_options options = VSH_OPTIONS_INIT;
  options.device = device;
  return options;
}

// Runs f(options, output) on the processor, then with `auto`: expects the same output, from the expected device.
template <class F>
void expect_by(By by, F&& f) {
  Bytes expected, got;
  const vsh_options processor = options_for("cpu"), automatic = options_for("auto");
  f(processor, expected);
  const int before = launches;
  f(automatic, got);
  EXPECT_EQ(launches > before, by == By::device);
  EXPECT_TRUE(got == expected);
}

class Auto : public test::DeviceTest {
 protected:
  // Before anything asks for crossovers: they are read once.
  static void SetUpTestSuite() {
    std::string folder = std::filesystem::temp_directory_path() / "vershina-crossovers-XXXXXX";
    ASSERT_TRUE(::mkdtemp(folder.data()));
    ::setenv("VERSHINA_TUNE", (folder + "/costs").c_str(), 1);
    ::umask(022);  // a file that others may write is not read
    std::ofstream(tuner::cost_path(tuner::kDevicesSuffix)) << format_crossovers(all_crossovers());
    EXPECT_EQ(measured_crossovers().size(), all_crossovers().size());
    EXPECT_EQ(crossovers_source().problem, "");
    EXPECT_EQ(crossovers_source().path, tuner::cost_path(tuner::kDevicesSuffix));
    std::filesystem::remove_all(folder);
  }

  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) count_launches();
  }

  void expect_request_by(By by, vsh_cipher_algorithm algorithm, vsh_mode mode, size_t len) {
    const Bytes key = random_.bytes(VSH_KEY_LEN), iv = random_.bytes(vsh_iv_len(algorithm, mode));
    const Bytes in = random_.bytes(len);
    expect_by(by, [&](vsh_options options, Bytes& out) {
      if (mode == VSH_CBC) options.padding = VSH_PADDING_NONE;
      vsh_cipher* cipher = nullptr;
      ASSERT_EQ(
          vsh_cipher_new(&cipher, algorithm, mode, VSH_DECRYPT, key.data(), key.size(), iv.data(), iv.size(), &options),
          VSH_OK)
          << vsh_device_message();
      out.resize(len);
      size_t written = 0;
      EXPECT_EQ(vsh_cipher_update(cipher, out.data(), len, &written, in.data(), len), VSH_OK) << vsh_device_message();
      vsh_cipher_free(cipher);
    });
  }

  void expect_batch_by(By by, vsh_stream_work work, size_t num, size_t len) {
    const Bytes key = random_.bytes(VSH_KEY_LEN), in = random_.bytes(num * len), ivs = random_.bytes(num * 8);
    expect_by(by, [&](const vsh_options& options, Bytes& out) {
      vsh_streams* streams = nullptr;
      ASSERT_EQ(vsh_streams_new(&streams, VSH_GOST28147, key.data(), 1, &options), VSH_OK) << vsh_device_message();
      const bool is_mac = work == VSH_STREAM_MAC;
      out.resize(num * len);
      std::vector<vsh_stream_job> jobs;
      for (size_t i = 0; i < num; ++i)
        jobs.push_back({work, is_mac ? VSH_ECB : VSH_CNT, nullptr, 0, &ivs[i * 8], is_mac ? size_t{0} : 8, &in[i * len],
                        len, &out[i * len], is_mac ? size_t{4} : len, VSH_E_STATE});
      EXPECT_EQ(vsh_streams_run(streams, jobs.data(), jobs.size()), VSH_OK) << vsh_device_message();
      vsh_streams_free(streams);
    });
  }

  void expect_packets_by(By by, size_t num, size_t len) {
    const Bytes key = random_.bytes(VSH_KEY_LEN), in = random_.bytes(num * len), nonce(8);
    expect_by(by, [&](const vsh_options& options, Bytes& out) {
      vsh_streams* streams = nullptr;
      ASSERT_EQ(vsh_streams_new(&streams, VSH_MAGMA, key.data(), 1, &options), VSH_OK) << vsh_device_message();
      out.resize(num * (len + 8));
      std::vector<vsh_mgm_job> jobs;
      for (size_t i = 0; i < num; ++i)
        jobs.push_back({VSH_STREAM_ENCRYPT, nullptr, 0, nonce.data(), 8, nullptr, 0, &in[i * len], len,
                        &out[i * (len + 8)], len + 8, 8, VSH_E_STATE});
      EXPECT_EQ(vsh_streams_mgm(streams, jobs.data(), jobs.size()), VSH_OK) << vsh_device_message();
      vsh_streams_free(streams);
    });
  }

  void expect_hashes_by(By by, size_t num, size_t len) {
    const Bytes in = random_.bytes(num * len);
    expect_by(by, [&](const vsh_options& options, Bytes& out) {
      out.resize(num * 32);
      std::vector<vsh_hash_job> jobs;
      for (size_t i = 0; i < num; ++i) jobs.push_back({&in[i * len], len, &out[i * 32], 32, VSH_E_STATE});
      EXPECT_EQ(vsh_streams_hash(VSH_STREEBOG256, jobs.data(), jobs.size(), &options), VSH_OK);
    });
  }

  test::Random random_{31};
};

TEST_F(Auto, RequestsGoToDevicesFromTheMeasuredSizeOn) {
  SCOPED_TRACE(test::seed_note());
  expect_request_by(By::processor, VSH_MAGMA, VSH_CTR, kLeastCtr - 8);
  expect_request_by(By::device, VSH_MAGMA, VSH_CTR, kLeastCtr);
  expect_request_by(By::processor, VSH_MAGMA, VSH_CBC, 1 << 20);  // never
  expect_request_by(By::processor, VSH_MAGMA, VSH_CFB, 1 << 20);  // not measured
  expect_request_by(By::processor, VSH_KUZNYECHIK, VSH_CTR, 1 << 20);
}

TEST_F(Auto, BatchesGoToDevicesFromTheMeasuredNumberOn) {
  SCOPED_TRACE(test::seed_note());
  expect_batch_by(By::processor, VSH_STREAM_ENCRYPT, kLeastOf512 - 1, 600);
  expect_batch_by(By::device, VSH_STREAM_ENCRYPT, kLeastOf512, 600);
  expect_batch_by(By::processor, VSH_STREAM_ENCRYPT, 4 * kLeastOf512, 511);  // shorter than all that were measured
  expect_batch_by(By::processor, VSH_STREAM_ENCRYPT, kLeastOf4096, 4095);
  expect_batch_by(By::device, VSH_STREAM_ENCRYPT, kLeastOf4096, 4096);
  expect_batch_by(By::processor, VSH_STREAM_MAC, 4 * kLeastOf512, 600);  // never
}

TEST_F(Auto, HashesGoToDevicesFromTheMeasuredNumberOn) {
  SCOPED_TRACE(test::seed_note());
  expect_hashes_by(By::processor, kLeastHashes - 1, 600);
  expect_hashes_by(By::device, kLeastHashes, 600);
}

TEST_F(Auto, PacketsGoToDevicesFromTheMeasuredNumberOn) {
  SCOPED_TRACE(test::seed_note());
  expect_packets_by(By::processor, kLeastPackets - 1, 1400);
  expect_packets_by(By::device, kLeastPackets, 1400);
  expect_packets_by(By::processor, 4 * kLeastPackets, 1000);  // shorter than all that were measured
}

// Each in a separate process, in which the devices are lost afterwards.
void in_process(const std::function<void()>& f) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ::setenv("FAKE_CUDA_STRICT", "0", 1);  // a lost device does not free its memory
        launches_fail = true;
        f();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

void expect_message(const char* part) {
  EXPECT_NE(std::strstr(vsh_device_message(), part), nullptr) << vsh_device_message();
}

TEST_F(Auto, AFailedRequestIsFinishedByTheProcessorWithAWarning) {
  in_process([this] {
    expect_request_by(By::processor, VSH_MAGMA, VSH_CTR, kLeastCtr - 8);
    EXPECT_STREQ(vsh_device_message(), "");
    expect_request_by(By::device, VSH_MAGMA, VSH_CTR, kLeastCtr);
    expect_message("the processor goes on alone");
    // The same with a named device.
    const vsh_options named = options_for(list_devices().devices[0].id.c_str());
    const Bytes key(VSH_KEY_LEN), iv(vsh_iv_len(VSH_MAGMA, VSH_CTR)), in(kLeastCtr);
    Bytes out(in.size());
    size_t len = 0;
    vsh_cipher* cipher = nullptr;
    vsh_status status =
        vsh_cipher_new(&cipher, VSH_MAGMA, VSH_CTR, VSH_ENCRYPT, key.data(), key.size(), iv.data(), iv.size(), &named);
    if (status == VSH_OK) status = vsh_cipher_update(cipher, out.data(), out.size(), &len, in.data(), in.size());
    EXPECT_EQ(status, VSH_E_DEVICE);
    vsh_cipher_free(cipher);
  });
}

TEST_F(Auto, AFailedBatchIsFinishedByTheProcessorWithAWarning) {
  in_process([this] {
    expect_batch_by(By::processor, VSH_STREAM_ENCRYPT, kLeastOf512 - 1, 600);
    EXPECT_STREQ(vsh_device_message(), "");
    expect_batch_by(By::device, VSH_STREAM_ENCRYPT, kLeastOf512, 600);
    expect_message("the processor goes on alone");
  });
  in_process([this] {
    expect_hashes_by(By::device, kLeastHashes, 600);
    expect_message("is not used");  // it fails when it makes its constants
  });
}

}  // namespace
}  // namespace vsh::gpu
