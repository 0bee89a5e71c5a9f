// A ladder's division of a request is compared with the cheapest of all divisions, found by dynamic programming.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "core/registry.hpp"
#include "support/random.hpp"

namespace vsh {
namespace {

// Rows with lanes and nothing else.
struct Rows {
  explicit Rows(std::vector<std::pair<uint32_t, uint32_t>> lanes_and_costs) : kernels(lanes_and_costs.size()) {
    for (size_t i = 0; i < kernels.size(); ++i) {
      kernels[i].info.lanes = lanes_and_costs[i].first;
      candidates.push_back({&kernels[i], lanes_and_costs[i].second});
    }
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  Ladder cheapest() const { return Ladder(cheapest_by_block(candidates), candidates); }

  std::vector<BlockKernel> kernels;
  std::vector<Candidate> candidates;
};

// least[n]: passes of any rows that together hold n blocks or more, at the least cost.
std::vector<uint64_t> least_costs(const Rows& rows, size_t most) {
  std::vector<uint64_t> least(most + 1);
  for (size_t n = 1; n <= most; ++n) {
    least[n] = UINT64_MAX;
    for (const Candidate& c : rows.candidates)
      least[n] = std::min(least[n], c.cost + least[n - std::min<size_t>(n, c.row->info.lanes)]);
  }
  return least;
}

TEST(Ladder, SharesOfAnExampleByHand) {
  // 256 blocks for 100, 32 for 40, one for 3.
  const Rows rows({{256, 100}, {1, 3}, {32, 40}});
  const Ladder ladder = rows.cheapest();
  ASSERT_EQ(ladder.size(), 3u);
  EXPECT_EQ(ladder[2].min_blocks, 1u);
  EXPECT_EQ(ladder[1].min_blocks, 14u);  // 13 single blocks cost 39, 14 cost 42
  EXPECT_EQ(ladder[0].min_blocks, 71u);  // 70 = 2 passes of 32 (80) and 6 blocks (18): 98; 71: 101
  EXPECT_EQ(ladder[0].share(70), 0u);
  EXPECT_EQ(ladder[0].share(71), 71u);
  EXPECT_EQ(ladder[0].share(256 + 70), 256u);
  EXPECT_EQ(ladder[1].share(70), 64u);
  EXPECT_EQ(ladder.cost(256 + 70), 198u);
  EXPECT_EQ(ladder.cost(0), 0u);
  EXPECT_EQ(&ladder.widest_for(70), &rows.kernels[2]);
  EXPECT_EQ(&ladder.widest_for(71), &rows.kernels[0]);
  EXPECT_EQ(&ladder.widest_for(13), &rows.kernels[1]);
}

TEST(Ladder, NoDivisionIsCheaperWhereLanesArePowersOfTwo) {
  test::Random random;
  SCOPED_TRACE(test::seed_note());
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<uint32_t, uint32_t>> made(1 + random.below(Ladder::kMaxRungs));
    for (auto& [lanes, cost] : made) {
      lanes = 1u << random.below(9);
      cost = static_cast<uint32_t>(1 + random.below(round % 2 ? 5000 : 20));
    }
    const Rows rows(made);
    const Ladder ladder = rows.cheapest();
    const auto least = least_costs(rows, 600);
    for (size_t n = 0; n <= 600; ++n) ASSERT_EQ(ladder.cost(n), least[n]) << n << " blocks, round " << round;
  }
}

// Any lanes, and a first row that is not the cheapest: the work is done whole, in passes that the costs account for.
TEST(Ladder, SharesAddUpAndCostsAreThoseOfThePasses) {
  test::Random random;
  SCOPED_TRACE(test::seed_note());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<uint32_t, uint32_t>> made(1 + random.below(10));
    for (auto& [lanes, cost] : made) {
      lanes = static_cast<uint32_t>(1 + random.below(300));
      cost = static_cast<uint32_t>(1 + random.below(1000));
    }
    const Rows rows(made);
    const Ladder ladder(rows.candidates[0], rows.candidates);
    EXPECT_EQ(&ladder.many(), &rows.kernels[0]);
    for (size_t n = 0; n <= 700; ++n) {
      uint64_t cost = 0;
      size_t rest = n;
      for (const Rung& rung : ladder) {
        const size_t share = rung.share(rest);
        ASSERT_LE(share, rest);
        if (share && rest == n) {
          ASSERT_EQ(rung.row, &ladder.widest_for(n));
        }
        cost += (share + rung.row->info.lanes - 1) / rung.row->info.lanes * rung.cost;
        rest -= share;
      }
      ASSERT_EQ(rest, 0u) << n << " blocks";
      ASSERT_EQ(ladder.cost(n), cost);
    }
    for (size_t i = 1; i < ladder.size(); ++i) {
      EXPECT_LT(ladder[i].cost, ladder[i - 1].cost);
      EXPECT_LT(ladder[i].row->info.lanes, ladder[i - 1].row->info.lanes);
    }
  }
}

TEST(Ladder, OfTooManyRowsTheOneForSingleBlocksStays) {
  std::vector<std::pair<uint32_t, uint32_t>> made;
  for (uint32_t i = 0; i < Ladder::kMaxRungs + 3; ++i) made.push_back({1u << i, 100 + 10 * i});
  const Rows rows(made);
  const Ladder ladder = rows.cheapest();
  EXPECT_EQ(ladder.size(), Ladder::kMaxRungs);
  EXPECT_EQ(&ladder.one(), &rows.kernels[0]);
}

// Assumed by the proof above.
TEST(Ladder, LanesOfAllKernelsArePowersOfTwo) {
  for (const KernelInfo* info : kernel_infos())
    EXPECT_TRUE(std::has_single_bit(info->lanes)) << info->family << ' ' << info->variant;
}

}  // namespace
}  // namespace vsh
