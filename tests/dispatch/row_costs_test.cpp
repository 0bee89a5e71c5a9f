// Measured costs: accepted files, and allowed choices. (That the library reads the file, and that `vershina tune`
// writes it, is tested with the program: tests/programs/vershina/tune.sh.)
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "core/row_costs.hpp"
#include "dispatch/processors.hpp"

namespace vsh {
namespace {

using tuner::Figure;
using tuner::RowCosts;

const tuner::Identity kHere{"Some CPU @ 3.0 GHz", "ssse3 avx2", "0123456789abcdef"};

constexpr KernelInfo kNarrow{"kuznyechik", "narrow", cpu::Isa::any, 1, 10, true};
constexpr KernelInfo kWide{"kuznyechik", "wide", cpu::Isa::any, 64, 10, true};
constexpr KernelInfo kMagma{"magma", "wide", cpu::Isa::any, 64, 10, true};
constexpr const KernelInfo* kRows[] = {&kNarrow, &kWide, &kMagma};

const std::string kHeading = "vershina-tune 3\ncpu Some CPU @ 3.0 GHz\nfeatures ssse3 avx2\nbuild 0123456789abcdef\n";
const std::string kLines = "magma wide 4410 16200\nkuznyechik narrow 853\nkuznyechik wide 18230\n";

std::string problem_of(const std::string& text) {
  RowCosts costs;
  const std::string problem = tuner::parse_row_costs(text, kHere, kRows, costs);
  if (!problem.empty()) {
    for (const auto& cost : costs.of) EXPECT_TRUE(cost.pass == 0 && cost.custom == 0) << "a refused file left a trace";
  }
  return problem;
}

TEST(RowCosts, IsReadInAnyOrderOfItsRows) {
  RowCosts costs;
  ASSERT_EQ(tuner::parse_row_costs(kHeading + kLines, kHere, kRows, costs), "");
  EXPECT_EQ(costs.of[0].pass, 853u);
  EXPECT_EQ(costs.of[0].custom, 853u);
  EXPECT_EQ(costs.of[1].pass, 18230u);
  EXPECT_EQ(costs.of[2].pass, 4410u);
  EXPECT_EQ(costs.of[2].custom, 16200u);
}

TEST(RowCosts, WhatIsWrittenIsRead) {
  RowCosts costs, again;
  costs.of[0] = {1, 1};
  costs.of[1] = {tuner::kMaxCost, tuner::kMaxCost};
  costs.of[2] = {77, 7};
  ASSERT_EQ(tuner::parse_row_costs(tuner::format_row_costs(kHere, kRows, costs), kHere, kRows, again), "");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(again.of[i].pass, costs.of[i].pass);
    EXPECT_EQ(again.of[i].custom, costs.of[i].custom);
  }
}

TEST(RowCosts, AnOlderFormIsRead) {
  std::string text = kHeading + kLines;
  text.replace(text.find("tune 3"), 6, "tune 2");
  RowCosts costs;
  ASSERT_EQ(tuner::parse_row_costs(text, kHere, kRows, costs), "");
  EXPECT_EQ(costs.of[0].pass, 853u);
  EXPECT_EQ(costs.of[0].figures[Figure::chain], 0u);
}

TEST(RowCosts, FiguresHaveNames) {
  RowCosts costs, again;
  ASSERT_EQ(
      tuner::parse_row_costs(kHeading + "magma wide 4410 16200 lane-row 5 chain 7\nkuznyechik narrow 853 chain 9\n"
                                        "kuznyechik wide 18230\n",
                             kHere, kRows, costs),
      "");
  EXPECT_EQ(costs.of[0].figures[Figure::chain], 9u);
  EXPECT_EQ(costs.of[0].figures[Figure::pass], 853u);
  EXPECT_EQ(costs.of[2].figures[Figure::chain], 7u);
  EXPECT_EQ(costs.of[2].figures[Figure::lane_row], 5u);
  EXPECT_EQ(costs.of[2].figures[Figure::lane_keys], 0u);
  const std::string text = tuner::format_row_costs(kHere, kRows, costs);
  ASSERT_EQ(tuner::parse_row_costs(text, kHere, kRows, again), "");
  EXPECT_EQ(tuner::format_row_costs(kHere, kRows, again), text);
  const std::string rows = kHeading + "kuznyechik narrow 1\nkuznyechik wide 1\nmagma wide 7 ";
  EXPECT_EQ(problem_of(rows + "chain 8\n"), "");
  for (const char* figures : {"chain", "chain 0", "chain 8 chain 8", "pass 8", "chain 8 9", "chains 8",
                              "chain 1000000001", "8 9 chain 8", "chain  8", "Chain 8", "chain 8 lane-row", "chain -8"})
    EXPECT_NE(problem_of(rows + figures + "\n"), "") << figures;
}

TEST(RowCosts, OfAnotherMachineOrBuildIsRefusedWithItsReason) {
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = kHeading + kLines;
    text.replace(text.find(from), from.size(), to);
    return problem_of(text);
  };
  EXPECT_EQ(replaced("3.0 GHz", "3.1 GHz"), "it was measured on another CPU model");
  EXPECT_EQ(replaced("ssse3 avx2", "ssse3 avx2 gfni"), "it was measured with other CPU features");
  EXPECT_EQ(replaced("cdef\n", "cdee\n"), "it was measured with another build of Vershina");
  // Any content of an older or a newer format.
  EXPECT_EQ(replaced("tune 3", "tune 1"), "it has the form of another version");
  EXPECT_EQ(problem_of("vershina-tune 4\n\x01\n"), "it has the form of another version");
  // Rows of another build are ignored.
  std::string text = kHeading + "kuznyechik newer 17\n";
  text.replace(text.find("0123"), 4, "3210");
  EXPECT_EQ(problem_of(text), "it was measured with another build of Vershina");
}

TEST(RowCosts, AnIncompleteOneIsRefused) {
  EXPECT_EQ(problem_of(kHeading + "magma wide 4410\nkuznyechik wide 18230\n"), "it lacks a kernel");
  EXPECT_EQ(problem_of(kHeading), "it lacks a kernel");
}

TEST(RowCosts, WhatIsNoCacheIsRefused) {
  const std::string no_list = "it is not a list of measured costs", good = kHeading + kLines;
  EXPECT_EQ(problem_of(good), "");
  const std::string refused[] = {"",
                                 "\n",
                                 std::string(1, '\0'),
                                 good.substr(0, good.size() - 1),
                                 " " + good,
                                 good + "\n",
                                 good + " \n",
                                 good + kLines,
                                 good + "kuznyechik unknown 5\n",
                                 good + "streebog narrow 5\n",
                                 good + "kuznyechik\n",
                                 good.substr(kHeading.size()),
                                 "tune 3\n" + good.substr(16),
                                 good + std::string(1, '\0') + "\n",
                                 good + std::string(tuner::kMaxRowCostsSize, 'x') + "\n",
                                 "vershina-tune 3\n"};
  for (const std::string& text : refused) EXPECT_EQ(problem_of(text), no_list) << text;
  const std::string rows = "kuznyechik narrow 1\nkuznyechik wide 1\nmagma wide ";
  EXPECT_EQ(problem_of(kHeading + rows + "7\n"), "");
  for (const char* cost : {"0", "-1", "+1", "01", "1.5", "1e3", "0x10", "", " 7", "7 ", "7 8 9", "7 0", "7  8",
                           "1000000001", "18446744073709551617", "99999999999999999999999", "7\r", "7\t", "nan"})
    EXPECT_EQ(problem_of(kHeading + rows + cost + "\n"), no_list) << cost;
  // If any single byte changes, nothing is partly accepted.
  for (size_t i = 0; i < good.size(); ++i)
    for (const char c : {'\0', '\n', ' ', '9', 'z', '\xff'}) {
      std::string text = good;
      text[i] = c;
      (void)problem_of(text);
    }
}

TEST(RowCosts, RowsThatThisCpuLacksAreNotExpected) {
  for (const KernelInfo* info : kernel_infos()) {
    if (runnable(*info)) continue;
    const KernelInfo* rows[] = {&kNarrow, info};
    RowCosts costs;
    EXPECT_EQ(tuner::parse_row_costs(kHeading + "kuznyechik narrow 5\n", kHere, rows, costs), "");
    const std::string line = std::string(info->family) + " " + info->variant + " 5\n";
    EXPECT_NE(tuner::parse_row_costs(kHeading + "kuznyechik narrow 5\n" + line, kHere, rows, costs), "");
  }
}

// ---- Choices by costs -----------------------------------------------------------------------------------------------

// Returns equal costs for every pass, much less for one row.
RowCosts with_cheap(const KernelInfo* cheap) {
  RowCosts costs;
  const auto infos = kernel_infos();
  for (size_t i = 0; i < infos.size(); ++i) {
    costs.of[i].pass = infos[i] == cheap ? 1 : 100'000;
    costs.of[i].custom = costs.of[i].pass;
  }
  return costs;
}

TEST(Tuned, TheCheapestRowThatIsAllowedServesEverything) {
  for (const Algorithm a : {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147})
    for (const BlockKernel* row : block_kernels(a))
      for (const bool tables : {false, true})
        for (const bool custom : {false, true}) {
          const RowCosts costs = with_cheap(&row->info);
          const Ladder ladder = default_ladder(a, tables, custom, &costs);
          const bool allowed = runnable(row->info) && (row->info.constant_time || tables);
          EXPECT_EQ(&ladder.one() == row, allowed) << row->info.family << ' ' << row->info.variant;
          for (const Rung& rung : ladder) {
            EXPECT_TRUE(runnable(rung.row->info));
            EXPECT_TRUE(rung.row->info.constant_time || tables) << rung.row->info.variant;
          }
        }
}

TEST(Tuned, HashRowsToo) {
  for (const HashKernel* row : hash_kernels())
    for (const bool tables : {false, true}) {
      const RowCosts costs = with_cheap(&row->info);
      const HashKernel* chosen = default_hash_kernel(tables, &costs);
      ASSERT_TRUE(chosen);
      EXPECT_EQ(chosen == row, runnable(row->info) && (row->info.constant_time || tables)) << row->info.variant;
      EXPECT_TRUE(runnable(chosen->info) && (chosen->info.constant_time || tables));
    }
}

TEST(Tuned, RowsForManyMessagesByWhatAMessageCosts) {
  size_t runs = 0;
  for (const HashLanesKernel* row : hash_lanes_kernels()) {
    const RowCosts costs = with_cheap(&row->info);
    EXPECT_EQ(default_hash_lanes_kernel(&costs) == row, runnable(row->info)) << row->info.variant;
    runs += runnable(row->info);
  }
  // A pass costs the same in all of them: most lanes are cheapest.
  const RowCosts equal = with_cheap(nullptr);
  const HashLanesKernel* const widest = default_hash_lanes_kernel(&equal);
  ASSERT_TRUE(widest && runs > 0);
  for (const HashLanesKernel* row : hash_lanes_kernels())
    EXPECT_TRUE(!runnable(row->info) || row->info.lanes <= widest->info.lanes) << row->info.variant;
}

TEST(Tuned, WithoutCostsTheFirstAllowedRowOfKernelsDefLeads) {
  for (const Algorithm a : {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147})
    for (const bool tables : {false, true}) {
      const auto rows = block_kernels(a);
      const auto first = std::find_if(rows.begin(), rows.end(), [&](const BlockKernel* row) {
        return runnable(row->info) && (row->info.constant_time || tables);
      });
      EXPECT_EQ(&default_ladder(a, tables, false, nullptr).many(), *first);
    }
}

// The order of kernels.def and the costs of the rows agree on this CPU and on recorded ones, within a quarter, because
// costs come from several machines.
TEST(Tuned, TheOrderOfKernelsDefAgreesWithTheCostsOfTheRows) {
  std::vector<test::Processor> processors = test::recorded_processors();
  ASSERT_GT(processors.size(), 6u);
  processors.push_back({"this CPU", cpu::features()});
  for (const test::Processor& processor : processors) {
    for (const Algorithm a : {Algorithm::kuznyechik, Algorithm::magma}) {
      const auto by_block = [](const BlockKernel& row) {
        return static_cast<double>(tuner::pass_cost(nullptr, row.info, false)) / row.info.lanes;
      };
      const BlockKernel* lead = nullptr;
      for (const BlockKernel* row : block_kernels(a)) {
        if ((cpu::required(row->info.isa) & ~processor.features) != 0 || !row->info.constant_time) continue;
        if (!lead) lead = row;
        EXPECT_LE(by_block(*lead), 1.25 * by_block(*row))
            << processor.name << ": " << row->info.family << ' ' << row->info.variant;
      }
      if (processor.features == cpu::features()) {
        EXPECT_EQ(lead, &default_ladder(a, false, false, nullptr).many());
      }
    }
  }
}

}  // namespace
}  // namespace vsh
