// The file of measured crossovers: which files are accepted, and their meaning. (For the use by `auto`, see
// auto_device_test.)
#include "gpu/schedule/crossovers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/row_costs.hpp"

namespace vsh::gpu {
namespace {

const std::string kHeading = [] {
  const tuner::Identity here = tuner::identity_here();
  return "vershina-tune 3\ncpu " + here.cpu + "\nfeatures " + here.features + "\nbuild " + here.build + "\n";
}();
const std::string kMalformed = "it is not a list of measured costs";
const std::string kTwice = "it has two lines for the same";
const std::string kDevice = "cuda:0 0123456789abcdef ";

std::string problem_of(const std::string& text) {
  std::string problem;
  const bool accepted = parse_crossovers(text, problem).has_value();
  EXPECT_EQ(accepted, problem.empty());
  return problem;
}

Crossover crossover(Algorithm algorithm, CrossoverSubject subject, uint64_t least, uint64_t size) {
  return {"cuda:0", "0123456789abcdef", algorithm, subject, least, size};
}

// The words of the file since it is written: files of earlier versions stay readable.
constexpr const char* kWords[] = {"encrypt",           "decrypt",           "ctr",
                                  "ctr-left",          "ctr-right",         "cnt",
                                  "cbc-decrypt",       "cfb-decrypt",       "xts-encrypt",
                                  "xts-decrypt",       "mgm-encrypt",       "mgm-decrypt",
                                  "mgm-authenticate",  "batch-ecb-encrypt", "batch-ecb-decrypt",
                                  "batch-cbc-encrypt", "batch-cbc-decrypt", "batch-cfb-encrypt",
                                  "batch-cfb-decrypt", "batch-ofb",         "batch-ctr",
                                  "batch-cnt",         "batch-mac",         "batch-imit",
                                  "batch-mgm"};

TEST(Crossovers, EveryWordIsReadAndWrittenAgain) {
  std::vector<std::string> lines = {"streebog batch-hash 64 512", "streebog batch-hash 128 4096"};
  for (const std::string word : kWords) lines.push_back("magma " + word + " never 1048576");
  std::string text = kHeading, problem;
  for (const std::string& line : lines) text += kDevice + line + "\n";
  const auto read = parse_crossovers(text, problem);
  ASSERT_TRUE(read) << problem;
  ASSERT_EQ(read->size(), lines.size());
  std::set<std::string> subjects;
  for (const Crossover& row : *read) subjects.insert(row.subject.name());
  for (size_t i = 0; i < kNumOperations; ++i)
    for (const CrossoverSubject subject : {CrossoverSubject(Operation(i)), batch_of(Operation(i))})
      EXPECT_EQ(subject.exists(), subjects.contains(subject.name())) << subject.name();
  const std::string written = format_crossovers(*read);
  EXPECT_EQ(written.size(), text.size());
  for (const std::string& line : lines) EXPECT_NE(written.find(kDevice + line + "\n"), written.npos) << line;
}

TEST(Crossovers, TheFileIsAsItIsDescribed) {
  const std::vector<Crossover> rows = {crossover(Algorithm::magma, Operation::ctr, 8388608, 4194304),
                                       crossover(Algorithm::magma, Operation::cbc_decrypt, kNever, 4194304),
                                       crossover(Algorithm::magma, batch_of(Operation::cfb_encrypt), 8192, 512)};
  EXPECT_EQ(format_crossovers(rows), kHeading + kDevice + "magma ctr 8388608 4194304\n" + kDevice +
                                         "magma cbc-decrypt never 4194304\n" + kDevice +
                                         "magma batch-cfb-encrypt 8192 512\n");
}

TEST(Crossovers, OfAnotherMachineOrBuildAreRefusedWithTheReason) {
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string text = kHeading;
    return problem_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(replaced("\ncpu ", "\ncpu Another "), "it was measured on another CPU model");
  EXPECT_EQ(replaced("\nbuild ", "\nbuild 0"), "it was measured with another build of Vershina");
  EXPECT_EQ(replaced("\nfeatures ", "\nfeatures another "), "it was measured with other CPU features");
  // Any content of an older or a newer format.
  EXPECT_EQ(replaced("tune 3", "tune 1"), "it has the form of another version");
  EXPECT_EQ(problem_of("vershina-devices 2\n\x01\n"), "it has the form of another version");
}

TEST(Crossovers, WhatIsNoListIsRefused) {
  const std::string line = kDevice + "magma ctr 65536 1048576\n", good = kHeading + line;
  EXPECT_EQ(problem_of(kHeading), "");
  EXPECT_EQ(problem_of(good), "");
  const std::string refused[] = {"",
                                 "\n",
                                 std::string(1, '\0'),
                                 "vershina-tune",
                                 good.substr(0, good.size() - 1),
                                 " " + good,
                                 good + "\n",
                                 good + " \n",
                                 good.substr(kHeading.size()),
                                 good + std::string(1, '\0') + "\n",
                                 kHeading + "\n" + line,
                                 good + std::string(kMaxCrossoversSize, 'x') + "\n"};
  for (const std::string& text : refused) EXPECT_EQ(problem_of(text), kMalformed) << text.substr(0, 200);
  const std::string rows[] = {
      "cuda:0 0123456789abcdef magma ctr 65536\n", "cuda:0 0123456789abcdef magma ctr 65536 1048576 1\n",
      "cuda:0 0123456789abcdef magma ctr 65536 1048576 \n", "cuda:0  0123456789abcdef magma ctr 65536 1048576\n",
      "CUDA:0 0123456789abcdef magma ctr 65536 1048576\n", "cuda:0 0123456789abcdef0 magma ctr 65536 1048576\n",
      kDevice + "magma unknown 65536 1048576\n", kDevice + "magma batch- 65536 1024\n",
      kDevice + "gf2n ctr 65536 1048576\n", kDevice + "rijndael ctr 65536 1048576\n",
      // Hashes are Streebog's, and Streebog has nothing else.
      kDevice + "magma batch-hash 64 512\n", kDevice + "streebog ctr 65536 1048576\n",
      kDevice + "streebog batch-mac 64 512\n",
      // A piece, a length.
      kDevice + "magma ctr 65536 65535\n", kDevice + "magma ctr 65536 268435457\n", kDevice + "magma batch-ctr 64 0\n",
      kDevice + "magma batch-ctr 64 1048577\n", kDevice + "magma batch-ctr 64 never\n"};
  for (const std::string& row : rows) EXPECT_EQ(problem_of(kHeading + row), kMalformed) << row;
  for (const char* number : {"-1", "+1", "01", "1.5", "1e3", "0x10", "", " 7", "Never", "nevermore", "7\r", "7\t",
                             "nan", "1000000000000000000", "18446744073709551617", "99999999999999999999999"})
    for (const char* work : {"ctr ", "batch-ctr "})
      EXPECT_EQ(problem_of(kHeading + kDevice + "magma " + work + number + " 65536\n"), kMalformed) << number;
}

TEST(Crossovers, NoSubjectHasTwoRows) {
  const std::string request = kDevice + "magma ctr 65536 1048576\n", batch = kDevice + "magma batch-ctr 64 512\n";
  EXPECT_EQ(problem_of(kHeading + request + batch + request), kTwice);
  EXPECT_EQ(problem_of(kHeading + request + kDevice + "magma ctr never 2097152\n"), kTwice);
  EXPECT_EQ(problem_of(kHeading + batch + request + kDevice + "magma batch-ctr 128 512\n"), kTwice);
  // Rows of another length, device or driver.
  EXPECT_EQ(problem_of(kHeading + batch + kDevice + "magma batch-ctr 64 4096\n"), "");
  EXPECT_EQ(problem_of(kHeading + request + "cuda:1 0123456789abcdef magma ctr 65536 1048576\n"), "");
  EXPECT_EQ(problem_of(kHeading + request + "cuda:0 0123456789abcdee magma ctr 65536 1048576\n"), "");
}

// If a changed byte is accepted, writing the result gives exactly that text.
TEST(Crossovers, AnyByteMayBeWrong) {
  const std::string good = kHeading + kDevice + "magma ctr 65536 1048576\n" + kDevice + "magma batch-ctr 64 512\n";
  for (size_t i = 0; i < good.size(); ++i)
    for (const char c : {'\0', '\n', ' ', '9', 'z', '\xff'}) {
      std::string text = good;
      text[i] = c;
      std::string problem;
      const auto rows = parse_crossovers(text, problem);
      if (rows) {
        EXPECT_EQ(format_crossovers(*rows).size(), text.size()) << i;
      }
    }
}

TEST(Crossovers, BatchesAreWorthADeviceByTheRowOfTheirLength) {
  const std::vector<Crossover> rows = {crossover(Algorithm::magma, batch_of(Operation::mac), 1000, 512),
                                       crossover(Algorithm::magma, batch_of(Operation::mac), kNever, 4096),
                                       crossover(Algorithm::magma, batch_of(Operation::mac), 100, 16384)};
  const auto pay = [&](uint64_t num, uint64_t length) { return worth_a_device(rows, num, num * length); };
  EXPECT_FALSE(pay(999, 512));
  EXPECT_TRUE(pay(1000, 512));
  EXPECT_TRUE(pay(1000, 4095));
  EXPECT_FALSE(pay(1 << 20, 511)) << "shorter than all that were measured";
  EXPECT_FALSE(pay(1 << 20, 4096));
  EXPECT_FALSE(pay(99, 16384));
  EXPECT_TRUE(pay(100, 16384));
  EXPECT_TRUE(pay(100, 1 << 20));
  EXPECT_TRUE(worth_a_device(rows, 1000, 1000 * 512 + 999)) << "half a byte more on average";
  EXPECT_FALSE(worth_a_device(rows, 1000, 1000 * 512 - 1));
  EXPECT_FALSE(worth_a_device(rows, 0, 0));
  EXPECT_FALSE(worth_a_device({}, 1 << 20, uint64_t{1} << 40));
}

TEST(Crossovers, AnotherDeviceOrDriverHasAnotherFingerprint) {
  const DeviceInfo info{"cuda:0", "A", "12.4", "sm_90", 1, 132};
  DeviceInfo other = info;
  EXPECT_EQ(fingerprint(info).size(), 16u);
  other.memory = 2, other.id = "cuda:1";
  EXPECT_EQ(fingerprint(other), fingerprint(info)) << "the id is kept separately";
  for (const auto& change : {+[](DeviceInfo& i) { i.name = "B"; }, +[](DeviceInfo& i) { i.driver = "12.5"; },
                             +[](DeviceInfo& i) { i.architecture = "sm_91"; }, +[](DeviceInfo& i) { i.units = 131; },
                             +[](DeviceInfo& i) { i.name = "A12.4", i.driver = ""; }}) {
    other = info;
    change(other);
    EXPECT_NE(fingerprint(other), fingerprint(info));
  }
}

}  // namespace
}  // namespace vsh::gpu
