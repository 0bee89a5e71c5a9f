// Measured costs of kernels: accepted files, and the rows that follow from them. (That the library reads the file, and
// that `vershina tomo tune` writes it, is tested with the program: tests/programs/tomo/tune_test.py.)
#include "tomography/slices/costs.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tomography/slices/registry.hpp"

namespace vsh::tomography {
namespace {

class TomographyCosts : public testing::Test {
 protected:
  TomographyCosts() {
    const auto rows = slice_kernels();
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t method = 0; runnable(rows[i]->info) && method < kNumMethods; ++method)
        costs.of[i][method] = 100 * (i + 1) + method;
    text = format_costs(here, costs);
  }
  // Returns the fault of a file, which leaves no trace then.
  static std::string problem_of(const std::string& file) {
    SliceCosts read;
    const std::string problem = parse_costs(file, here, read);
    if (problem.empty()) return problem;
    for (const auto& row : read.of)
      for (const uint64_t cost : row) EXPECT_EQ(cost, 0u) << file;
    return problem;
  }
  std::string replaced(const std::string& from, const std::string& to) const {
    std::string changed = text;
    return changed.replace(text.find(from), from.size(), to);
  }

  static inline const tuner::Identity here{"Some CPU @ 3.0 GHz", "avx2 fma", "0123456789abcdef"};
  const std::string kNoList = "it is not a list of measured costs";
  SliceCosts costs;
  std::string text;
};

TEST_F(TomographyCosts, WhatIsWrittenIsRead) {
  SliceCosts read;
  ASSERT_EQ(parse_costs(text, here, read), "");
  for (size_t i = 0; i < kMaxRows; ++i)
    for (size_t method = 0; method < kNumMethods; ++method) EXPECT_EQ(read.of[i][method], costs.of[i][method]);
  EXPECT_EQ(format_costs(here, SliceCosts()), "");  // not measured
}

TEST_F(TomographyCosts, OfAnotherMachineOrBuildIsRefusedWithItsReason) {
  EXPECT_EQ(problem_of(replaced("3.0 GHz", "3.1 GHz")), "it was measured on another CPU model");
  EXPECT_EQ(problem_of(replaced("avx2 fma", "avx2")), "it was measured with other CPU features");
  EXPECT_EQ(problem_of(replaced("cdef\n", "cdee\n")), "it was measured with another build of Vershina");
  EXPECT_EQ(problem_of(replaced("tune 3", "tune 4")), "it has the form of another version");
}

TEST_F(TomographyCosts, WhatIsNoListIsRefused) {
  const std::string last = text.substr(text.rfind("slices "));  // of a row that runs everywhere
  const std::string others = text.substr(0, text.size() - last.size()), row = last.substr(0, last.find(" fbp ") + 1);
  EXPECT_EQ(problem_of(others), "it lacks a kernel");
  EXPECT_EQ(problem_of(tuner::heading(here)), "it lacks a kernel");
  const std::string good = "fbp 1 dfr 2 hfbp 3 hfbp-fast 4 iterative 5 cone 1000000000000\n";
  EXPECT_EQ(problem_of(others + row + good), "");
  for (const char* bad :
       {"fbp 1 dfr 2 hfbp 3 hfbp-fast 4 iterative 5\n", "fbp 1 dfr 2 hfbp 3 hfbp-fast 4 iterative 5 cone\n",
        "dfr 2 fbp 1 hfbp 3 hfbp-fast 4 iterative 5 cone 6\n", "fbp 0 dfr 2 hfbp 3 hfbp-fast 4 iterative 5 cone 6\n",
        "fbp 1 dfr 2 hfbp 3 hfbp-fast 4 iterative 5 cone 6 cone 6\n", "\n", "fbp -1 dfr 2 hfbp 3 hfbp-fast 4\n",
        "fbp 1 dfr 2 hfbp 3 hfbp-fast 4 iterative 5 cone 1000000000001\n",
        "fbp 1 dfr 2 hfbp 3 hfbp-fast 4 iterative 5 cone 01\n"})
    EXPECT_EQ(problem_of(others + row + bad), kNoList) << bad;
  for (const std::string& bad : {std::string(), text + "\n", text + last, text + "slices unknown " + good,
                                 text + "magma avx2 5\n", text.substr(0, text.size() - 1), "x" + text})
    EXPECT_EQ(problem_of(bad), kNoList) << bad;
  for (const SliceKernel* kernel : slice_kernels()) {
    if (runnable(kernel->info)) continue;
    EXPECT_EQ(problem_of(text + "slices " + kernel->info.variant + " " + good), kNoList);
  }
  // If any single byte changes, nothing is partly accepted.
  for (size_t i = 0; i < text.size(); ++i)
    for (const char c : {'\0', '\n', ' ', '9', 'z', '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      (void)problem_of(changed);
    }
}

TEST_F(TomographyCosts, EachWorkHasItsCheapestRow) {
  const auto rows = slice_kernels();
  size_t first = 0;
  while (!runnable(rows[first]->info)) ++first;
  for (size_t cheap = 0; cheap < rows.size(); ++cheap) {
    for (size_t method = 0; method < kNumMethods; ++method) {
      SliceCosts changed = costs;
      changed.of[cheap][method] = 1;  // a row that does not run here, too
      for (size_t other = 0; other < kNumMethods; ++other)
        EXPECT_EQ(default_slice_kernel(static_cast<Method>(other), &changed),
                  rows[other == method && runnable(rows[cheap]->info) ? cheap : first]);
      EXPECT_EQ(default_slice_kernel(static_cast<Method>(method), nullptr), rows[first]);
    }
  }
}

}  // namespace
}  // namespace vsh::tomography
