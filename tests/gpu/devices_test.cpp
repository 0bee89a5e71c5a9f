// The list of devices, inside and through the C ABI.
#include <vershina/vershina.hpp>

#include <cstdlib>
#include <cstring>

#include "gpu/support/device_test.hpp"

namespace vsh::gpu {
namespace {

using Devices = test::DeviceTest;

TEST_F(Devices, AreFoundByTheirIds) {
  for_each_device([](Device& device) {
    const DeviceInfo& info = device.info();
    EXPECT_EQ(&open_device(info.id), &device);
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.driver.empty());
    EXPECT_FALSE(info.architecture.empty());
    EXPECT_GT(info.memory, 0u);
    EXPECT_GT(info.units, 0u);
    if (info.id.starts_with("opencl:") && info.id.ends_with(".0")) {
      EXPECT_EQ(&open_device(info.id.substr(0, info.id.size() - 2)), &device) << "short form";
    }
  });
  for (const std::string& id : worker_ids()) EXPECT_FALSE(open_device(id).info().is_processor);
}

TEST_F(Devices, PassTheSelfTestThroughTheAbi) {
  for_each_device(
      [](Device& device) { EXPECT_EQ(vsh_device_selftest(device.info().id.c_str()), VSH_OK) << vsh_device_message(); });
}

TEST(DeviceList, NothingElseIsFound) {
  for (const char* id : {"", "cuda", "cuda:", "cuda:00", "cuda:-1", "cuda:99", "opencl:99.0", "opencl:0.99", "opencl:x",
                         "OPENCL:0.0", "opencl:0.0 ", "cpu"}) {
    try {
      open_device(id);
      ADD_FAILURE() << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::none_found) << id;
      EXPECT_NE(std::strstr(error.what(), id), nullptr) << error.what();
    }
  }
}

TEST(DeviceList, IsTheSameThroughTheAbi) {
  const auto listed = vershina::devices();
  ASSERT_EQ(listed.size(), list_devices().devices.size());
  for (size_t i = 0; i < listed.size(); ++i) {
    const DeviceInfo& info = list_devices().devices[i];
    EXPECT_EQ(listed[i].id, info.id);
    EXPECT_EQ(listed[i].name, info.name);
    EXPECT_EQ(listed[i].driver, info.driver);
    EXPECT_EQ(listed[i].architecture, info.architecture);
    EXPECT_EQ(listed[i].memory, info.memory);
    EXPECT_EQ(listed[i].units, info.units);
    EXPECT_EQ(listed[i].is_processor != 0, info.is_processor);
    EXPECT_TRUE(info.id.starts_with(std::string(listed[i].back_end) + ":"));
  }
  EXPECT_EQ(vershina::device_problems().size(), list_devices().problems.size());
}

TEST(DeviceList, MisuseIsRefused) {
  vsh_device_info info{};
  EXPECT_EQ(vsh_device_read(0, nullptr, sizeof info), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_device_read(0, &info, sizeof info + 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_device(list_devices().devices.size(), &info), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_device(SIZE_MAX, &info), VSH_E_ARGUMENT);
  EXPECT_EQ(info.id, nullptr) << "a failed call leaves its output alone";
  EXPECT_EQ(vsh_device_problem(SIZE_MAX), nullptr);
  EXPECT_EQ(vsh_device_selftest(nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_device_selftest("cuda:99"), VSH_E_DEVICE);
  EXPECT_NE(std::strstr(vsh_device_message(), "cuda:99"), nullptr);
  EXPECT_THROW(vershina::device_selftest("cuda:99"), vershina::Error);
  // A caller of an older, shorter struct.
  if (!list_devices().devices.empty()) {
    ASSERT_EQ(vsh_device_read(0, &info, offsetof(vsh_device_info, name)), VSH_OK);
    EXPECT_EQ(info.id, list_devices().devices[0].id);
    EXPECT_EQ(info.name, nullptr);
  }
}

// In a process of its own, because the list is made once.
TEST(DeviceCheckDeathTest, LeavesOutBackEndsWithTheReason) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto leaves_out = [] {
    vsh_device_set_check([](const char* back_end) -> const char* {
      return std::strcmp(back_end, "cuda") == 0 ? "CUDA: not today" : "OpenCL: not today";
    });
    const bool none = vershina::devices().empty();
    const auto problems = vershina::device_problems();
    const bool said = problems.size() == 2 && problems[0] == "CUDA: not today" && problems[1] == "OpenCL: not today";
    const bool refused = vsh_device_selftest("opencl:0.0") == VSH_E_DEVICE &&
                         std::strstr(vsh_device_message(), "OpenCL: not today") != nullptr;
    std::_Exit(none && said && refused ? 0 : 1);
  };
  EXPECT_EXIT(leaves_out(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vsh::gpu
