// Whose a file is; the search for companion programs, and the command lines for them. (Their start:
// tests/programs/vershina/companion.sh.)
#include "programs/common/system/companion.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "programs/common/system/own_file.hpp"

namespace vsh::cli {
namespace {

namespace fs = std::filesystem;

struct stat file_of(uid_t owner, mode_t mode, nlink_t names = 1) {
  struct stat status {};
  status.st_uid = owner;
  status.st_mode = S_IFREG | mode;
  status.st_nlink = names;
  return status;
}

TEST(OwnFile, BelongsToThisUserOrRoot) {
  EXPECT_EQ(why_not_own(file_of(::geteuid(), 0600), kAnyRight), "");
  EXPECT_EQ(why_not_own(file_of(0, 0600), kAnyRight), "");
  EXPECT_EQ(why_not_own(file_of(::geteuid() + 1, 0600), kAnyRight), "belongs to another user");
}

TEST(OwnFile, EachRightOfOthersCounts) {
  for (const mode_t right : {S_IRGRP, S_IWGRP, S_IXGRP, S_IROTH, S_IWOTH, S_IXOTH}) {
    const bool writes = right == S_IWGRP || right == S_IWOTH;
    EXPECT_NE(why_not_own(file_of(0, 0600 | right), kAnyRight), "") << std::oct << right;
    EXPECT_EQ(why_not_own(file_of(0, 0600 | right), kRightToWrite) != "", writes) << std::oct << right;
  }
}

TEST(OwnFile, SecondNameCountsWhereItIsWritten) {
  EXPECT_EQ(why_not_own(file_of(0, 0600, 2), kAnyRight), "");
  EXPECT_EQ(why_not_own(file_of(0, 0600, 2), kAnyRight, Names::one), "has a second name, a hard link");
  EXPECT_NE(why_not_own(file_of(0, 0600, 0), kAnyRight, Names::one), "") << "removed in the meantime";
  struct stat folder = file_of(0, 0700, 3);
  folder.st_mode = S_IFDIR | 0700;
  EXPECT_EQ(why_not_own(folder, kAnyRight, Names::one), "");
}

// A folder next to this program, where the programs of the build are.
class Beside : public ::testing::Test {
 protected:
  Beside() {
    ::umask(022);
    EXPECT_TRUE(::mkdtemp(folder_.data()));
    ::chmod(folder_.c_str(), 0755);
    name_ = fs::path(folder_).filename().string();
  }
  ~Beside() override { fs::remove_all(folder_); }
  void add(const std::string& file) const {
    fs::create_directories(fs::path(folder_ + "/" + file).parent_path());
    std::ofstream(folder_ + "/" + file) << "#!/bin/sh\n";
  }
  // Returns the file found, or why none is.
  std::string find(const std::string& below = "") const {
    std::string why;
    const Installed found = find_from_program(name_ + below, "file", &why);
    EXPECT_EQ(found ? "" : why, why);
    return found ? fs::read_symlink("/proc/self/fd/" + std::to_string(found.folder.get())).string() : why;
  }
  void change(const std::string& file, mode_t mode) const { ::chmod((folder_ + "/" + file).c_str(), mode); }

  std::string folder_ = fs::read_symlink("/proc/self/exe").parent_path().string() + "/companion-XXXXXX", name_;
};

TEST_F(Beside, IsFoundWhereNobodyElseCanHavePutIt) {
  EXPECT_EQ(find(), "");
  add("file");
  EXPECT_EQ(find(), folder_);
  add("a/b/file");
  EXPECT_EQ(find("/a/b"), folder_ + "/a/b");
  EXPECT_EQ(find("/a/../a/b"), folder_ + "/a/b");
  EXPECT_EQ(find("/a"), "") << "a folder without the file";
}

TEST_F(Beside, IsLeftWhereOthersMayWriteIt) {
  add("file");
  change("file", 0666);
  EXPECT_EQ(find(), folder_ + "/file: others may write to it");
  change("file", 0755);
  for (const mode_t mode : {0777, 01777, 0775}) {
    change("", mode);
    const bool is_group_trusted = mode == 0775 && [this] {  // by the rights on this program
      struct stat self {};
      struct stat own_folder {};
      EXPECT_EQ(::stat("/proc/self/exe", &self), 0);
      EXPECT_EQ(::stat(fs::path(folder_).parent_path().c_str(), &own_folder), 0);
      return ((self.st_mode | own_folder.st_mode) & S_IWGRP) != 0;
    }();
    EXPECT_EQ(find(), is_group_trusted ? folder_ : folder_ + ": others may write to it") << std::oct << mode;
  }
}

TEST_F(Beside, IsLeftWhereOthersMayWriteAFolderOnTheWay) {
  add("a/b/file");
  change("a", 01777);
  EXPECT_EQ(find("/a/b"), folder_ + "/a: others may write to it");
}

TEST_F(Beside, IsLeftIfAnotherUserOwnsIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files to others";
  add("file");
  EXPECT_EQ(::chown((folder_ + "/file").c_str(), 65534, 65534), 0);
  EXPECT_EQ(find(), folder_ + "/file: belongs to another user");
  EXPECT_EQ(::chown((folder_ + "/file").c_str(), 0, 0), 0);
  EXPECT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(find(), folder_ + ": belongs to another user");
}

TEST_F(Beside, IsARegularFile) {
  fs::create_directory(folder_ + "/file");
  EXPECT_EQ(find(), "");
}

TEST(Companion, IsNoFileWithoutTheRightToExecute) {
  const std::string path = fs::read_symlink("/proc/self/exe").parent_path().string() + "/companion-of-the-test";
  std::ofstream(path) << "#!/bin/sh\n";
  ::chmod(path.c_str(), 0644);
  EXPECT_FALSE(find_companion("companion-of-the-test"));
  ::chmod(path.c_str(), 0755);
  EXPECT_TRUE(find_companion("companion-of-the-test"));
  fs::remove(path);
}

std::vector<std::string> for_bench(std::vector<const char*> words) {
  words.insert(words.begin(), "vershina");
  const int argc = static_cast<int>(words.size());
  words.push_back(nullptr);
  return arguments_for_bench(argc, words.data());
}

TEST(Companion, CommandsOfTheBenchmarkWithTheirHelpAndCompletion) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(for_bench({"bench"}), (Words{"bench"}));
  EXPECT_EQ(for_bench({"tune", "--reset"}), (Words{"tune", "--reset"}));
  EXPECT_EQ(for_bench({"help", "tune"}), (Words{"tune", "--help"}));
  EXPECT_EQ(for_bench({"completion", "--candidates", "--", "bench", ""}),
            (Words{"completion", "--candidates", "--", "bench", ""}));
  EXPECT_EQ(for_bench({}), Words{});
  EXPECT_EQ(for_bench({"encrypt", "bench"}), Words{});
  EXPECT_EQ(for_bench({"--help"}), Words{});
  EXPECT_EQ(for_bench({"help"}), Words{});
  EXPECT_EQ(for_bench({"completion", "--candidates", "--", "ben"}), Words{});
  EXPECT_EQ(for_bench({"completion", "--candidates", "--", "bench"}), Words{}) << "the name itself is completed here";
  EXPECT_EQ(for_bench({"completion", "--candidates", "--", "encrypt", "bench"}), Words{});
}

TEST(Companion, CommandLinesOfDisk) {
  using Words = std::vector<std::string>;
  const auto for_disk = [](std::vector<const char*> words) {
    words.insert(words.begin(), "vershina");
    return arguments_for("disk", static_cast<int>(words.size()), words.data());
  };
  EXPECT_EQ(for_disk({"disk"}), Words{});
  EXPECT_EQ(for_disk({"disk", "create", "--size", "1M"}), (Words{"create", "--size", "1M"}));
  EXPECT_EQ(for_disk({"help", "disk"}), Words{"--help"});
  EXPECT_EQ(for_disk({"completion", "--candidates", "--", "disk", "in"}),
            (Words{"completion", "--candidates", "--", "in"}));
  for (const auto& words : std::vector<std::vector<const char*>>{
           {}, {"encrypt", "disk"}, {"--help"}, {"help"}, {"completion", "--candidates", "--", "dis"}})
    EXPECT_EQ(for_disk(words), std::nullopt);
}

}  // namespace
}  // namespace vsh::cli
