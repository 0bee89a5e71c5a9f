// Whose a file is; the search for companion programs, and the command lines for them. (Their start:
// tests/cli/companion.sh.)
#include "cli/system/companion.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/system/own_file.hpp"

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
  EXPECT_NE(why_not_own(file_of(0, 0600, 0), kAnyRight, Names::one), "") << "removed meanwhile";
  struct stat folder = file_of(0, 0700, 3);
  folder.st_mode = S_IFDIR | 0700;
  EXPECT_EQ(why_not_own(folder, kAnyRight, Names::one), "");
}

class Folder {
 public:
  Folder() { EXPECT_TRUE(::mkdtemp(path_.data())); }
  ~Folder() { fs::remove_all(path_); }
  std::string add_folder(const std::string& name) const {
    fs::create_directory(path_ + "/" + name);
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/vershina-companion-XXXXXX";
};

std::string add_program(const std::string& folder, mode_t mode = 0755) {
  const std::string path = folder + "/vershina-bench";
  std::ofstream(path) << "#!/bin/sh\n";
  ::chmod(path.c_str(), mode);
  return path;
}

TEST(Companion, IsLookedForBesideThisProgramThenWhereProgramsAreInstalled) {
  const auto directories = companion_directories();
  ASSERT_EQ(directories.size(), 2u);
  EXPECT_EQ(directories[0], fs::read_symlink("/proc/self/exe").parent_path().string());
  EXPECT_EQ(directories[1], VSH_INSTALLED_PROGRAMS);
}

TEST(Companion, TheFirstThatIsThereIsTaken) {
  const Folder folder;
  const std::string beside = folder.add_folder("beside"), installed = folder.add_folder("installed");
  EXPECT_EQ(find_companion("vershina-bench", {beside, installed}), "");
  const std::string second = add_program(installed);
  EXPECT_EQ(find_companion("vershina-bench", {beside, installed}), second);
  const std::string first = add_program(beside);
  EXPECT_EQ(find_companion("vershina-bench", {beside, installed}), first);
  EXPECT_EQ(find_companion("vershina-disk", {beside, installed}), "");
}

TEST(Companion, WhatIsNoProgramIsPassedOver) {
  const Folder folder;
  const std::string installed = folder.add_folder("installed"), path = add_program(installed);
  const std::string plain = folder.add_folder("plain");
  add_program(plain, 0644);
  EXPECT_EQ(find_companion("vershina-bench", {plain, installed}), path);
  const std::string directory = folder.add_folder("directory");
  fs::create_directory(directory + "/vershina-bench");
  EXPECT_EQ(find_companion("vershina-bench", {directory, installed}), path);
}

// Without /proc the first directory is unknown, and must not become the current one.
TEST(Companion, NothingButPathsFromTheRoot) {
  const Folder folder;
  add_program(folder.path());
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const char* directory : {"", ".", "./"}) EXPECT_EQ(find_companion("vershina-bench", {directory}), "");
  fs::current_path(before);
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
