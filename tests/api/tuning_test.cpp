// Status texts of the files of measured costs. (Their effect: tests/dispatch/row_costs_test,
// tests/programs/vershina/tune.sh.)
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>

#include "vershina/vershina.h"

namespace {

// Runs before any choice: each file is read once. An invalid file of kernels, and no file of devices.
class Files : public testing::Environment {
  void SetUp() override {
    ASSERT_TRUE(::mkdtemp(folder_.data()));
    ::umask(022);  // a file that others may write is not read
    path = folder_ + "/costs";
    std::ofstream(path) << "nonsense\n";
    ::setenv("VERSHINA_TUNE", path.c_str(), 1);
  }
  void TearDown() override {
    ::unlink(path.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string folder_ = "/tmp/vershina-tuning-XXXXXX";

 public:
  static inline std::string path;
};
const auto* const kFiles = testing::AddGlobalTestEnvironment(new Files);

TEST(Tuning, NamesTheFileAndWhatIsWrongWithIt) {
  vsh_tuning_info info{};
  ASSERT_EQ(vsh_tuning(VSH_TUNING_KERNELS, &info), VSH_OK);
  EXPECT_EQ(info.path, Files::path);
  EXPECT_STREQ(info.problem, "it is not a list of measured costs");
  EXPECT_FALSE(info.missing);
  ASSERT_EQ(vsh_tuning(VSH_TUNING_DEVICES, &info), VSH_OK);
  EXPECT_EQ(info.path, Files::path + ".devices");
  EXPECT_STRNE(info.problem, "");
  EXPECT_TRUE(info.missing);
}

TEST(Tuning, FillsAsMuchAsTheCallerKnows) {
  vsh_tuning_info info{nullptr, "untouched", 7};
  ASSERT_EQ(vsh_tuning_read(VSH_TUNING_KERNELS, &info, offsetof(vsh_tuning_info, problem)), VSH_OK);
  EXPECT_EQ(info.path, Files::path);
  EXPECT_STREQ(info.problem, "untouched");
  EXPECT_EQ(info.missing, 7);
}

TEST(Tuning, RefusesWhatItDoesNotKnow) {
  vsh_tuning_info info{};
  EXPECT_EQ(vsh_tuning(VSH_TUNING_KERNELS, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_tuning(static_cast<vsh_tuning_subject>(2), &info), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_tuning_read(VSH_TUNING_KERNELS, &info, sizeof info + 1), VSH_E_ARGUMENT);
}

}  // namespace
