// The cache of compiled programs: files that are used, and those that never are.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/programs/cache.hpp"
#include "gpu/programs/file.hpp"

namespace vsh::gpu {
namespace {

namespace fs = std::filesystem;

class ProgramCache : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/vershina-programs-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    directory_ = root_ / "caches" / "programs";
    ::setenv("VERSHINA_DEVICE_PROGRAMS", directory_.c_str(), 1);
  }
  void TearDown() override {
    fs::permissions(root_, fs::perms::owner_all);
    fs::remove_all(root_);
  }

  fs::path file() const { return directory_ / program_file(request_)->name; }
  void write() { write_program(request_, "compiler 1", binary_); }
  std::vector<uint8_t> read() { return read_program(request_, "compiler 1"); }

  fs::path root_, directory_;
  ProgramRequest request_{"a device", "magma", "-DVSH_SBOX=1", "text"};
  std::vector<uint8_t> binary_ = std::vector<uint8_t>(5000, 42);
};

TEST_F(ProgramCache, GivesBackWhatWasWritten) {
  EXPECT_TRUE(read().empty());
  write();
  EXPECT_EQ(read(), binary_);
  binary_.assign(100, 7);
  write();
  EXPECT_EQ(read(), binary_);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1) << "temporary files stay behind";
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(directory_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(ProgramCache, KnowsEveryPartOfARequest) {
  write();
  for (const auto change :
       {+[](ProgramRequest& r) { r.device += "!"; }, +[](ProgramRequest& r) { r.name = "kuznyechik"; },
        +[](ProgramRequest& r) { r.definitions += " -DX=1"; }, +[](ProgramRequest& r) { r.text = "Text"; }}) {
    ProgramRequest other = request_;
    change(other);
    EXPECT_TRUE(read_program(other, "compiler 1").empty());
    EXPECT_NE(program_file(other)->name, program_file(request_)->name);
    // Neither does a file pass for another's by its name.
    fs::copy_file(file(), directory_ / program_file(other)->name);
    EXPECT_TRUE(read_program(other, "compiler 1").empty());
  }
  EXPECT_TRUE(read_program(request_, "compiler 2").empty());
  EXPECT_EQ(read_program(request_, ""), binary_) << "where there is no compiler, any's will do";
}

TEST_F(ProgramCache, TakesNothingThatIsDamaged) {
  write();
  std::ifstream in(file(), std::ios::binary);
  const std::vector<uint8_t> good{std::istreambuf_iterator<char>(in), {}};
  const auto name = *program_file(request_);
  ASSERT_EQ(parse_program(good, name, "compiler 1").size(), binary_.size());
  for (size_t i = 0; i < good.size(); i += i < 200 ? 1 : 97) {
    std::vector<uint8_t> bad = good;
    bad[i] ^= 0x10;
    EXPECT_TRUE(parse_program(bad, name, "compiler 1").empty()) << i;
    EXPECT_TRUE(parse_program(std::span(good).first(i), name, "compiler 1").empty()) << i;
  }
}

// Lengths that lead out of the file, under a right checksum.
TEST_F(ProgramCache, TakesNoLengthsThatLeadOut) {
  const auto name = *program_file(request_);
  const auto good = format_program(name, "compiler 1", {});
  EXPECT_TRUE(parse_program(good, name, "compiler 1").empty()) << "no program at all";
  ProgramFile forged = name;
  forged.request += '\n';
  EXPECT_TRUE(parse_program(format_program(forged, "compiler 1", binary_), name, "compiler 1").empty());
}

TEST_F(ProgramCache, TakesNothingThatOthersMayWrite) {
  for (const auto& target : {file(), directory_}) {
    write();
    for (const auto perms : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(target, perms, fs::perm_options::add);
      EXPECT_TRUE(read().empty()) << target;
      fs::permissions(target, perms, fs::perm_options::remove);
      EXPECT_EQ(read(), binary_);
    }
  }
  fs::permissions(directory_, fs::perms::others_write, fs::perm_options::add);
  fs::remove(file());
  write();
  EXPECT_FALSE(fs::exists(file())) << "nothing is written where others may write";
}

TEST_F(ProgramCache, TakesNoLinksAndNoPipes) {
  write();
  const fs::path elsewhere = root_ / "elsewhere";
  fs::rename(file(), elsewhere);
  fs::create_symlink(elsewhere, file());
  EXPECT_TRUE(read().empty());
  fs::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_TRUE(read().empty());  // and does not wait
  fs::remove(file());
  fs::rename(elsewhere, file());
  EXPECT_EQ(read(), binary_);
  fs::rename(directory_, elsewhere);
  fs::create_directory_symlink(elsewhere, directory_);
  EXPECT_TRUE(read().empty());
}

TEST_F(ProgramCache, TakesNothingOfAnotherOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  write();
  ASSERT_EQ(::chown(file().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(read().empty());
}

TEST_F(ProgramCache, ForgetsTheOldestFirst) {
  constexpr size_t kLen = kMaxProgramLen / 2;
  binary_.resize(kLen);
  write();
  const fs::path first = file();
  fs::last_write_time(first, fs::file_time_type::clock::now() - std::chrono::hours(1));
  // Sparse files cost nothing.
  for (size_t i = 0; i <= kMaxProgramsLen / kMaxProgramLen; ++i) {
    const fs::path other = directory_ / ("other" + std::to_string(i) + ".program");
    std::ofstream(other).put(0);
    fs::resize_file(other, i == 0 ? kMaxProgramLen / 2 : kMaxProgramLen);
    fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::minutes(30 - i));
  }
  request_.name = "another";
  binary_.resize(10);
  write();
  EXPECT_FALSE(fs::exists(first));
  EXPECT_EQ(read(), binary_);
  uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) total += entry.file_size();
  EXPECT_LE(total, kMaxProgramsLen);
  EXPECT_GT(total, kMaxProgramsLen / 2);
}

TEST_F(ProgramCache, WritesAndSaysNothingWhereItCannot) {
  ::setenv("VERSHINA_DEVICE_PROGRAMS", "off", 1);
  write();
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(program_directory(), "");
  ::setenv("VERSHINA_DEVICE_PROGRAMS", "relative/path", 1);
  EXPECT_EQ(program_directory(), "");
  ::setenv("VERSHINA_DEVICE_PROGRAMS", "/proc/nothing/here", 1);
  write();
  EXPECT_TRUE(read().empty());
  EXPECT_FALSE(fs::exists(directory_));
}

}  // namespace
}  // namespace vsh::gpu
