// Costs of batches: measured, by clocks of any kind, or modelled; none below what the work takes at least.
#include "streams/costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "core/row_costs.hpp"
#include "streams/hash_plan.hpp"
#include "streams/key_set.hpp"
#include "streams/single_message.hpp"
#include "support/random.hpp"

namespace vsh::streams {
namespace {

using test::Random;
using tuner::Figure;
using tuner::Figures;

constexpr Algorithm kCiphers[] = {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147};

Cipher cipher_of(Algorithm algorithm) {
  return {keys::CipherParameters(algorithm), choose_block_kernel(algorithm, {}, false), block_size(algorithm), 1};
}

// For many blocks, and for one.
std::array<const BlockKernel*, 2> rows_of(Algorithm algorithm) {
  const Ladder ladder = cipher_of(algorithm).kernels.ladder;
  return {&ladder.many(), &ladder.one()};
}

// check(row) for those that run here.
template <class Check>
void for_hash_rows(Check check) {
  const auto for_all = [&](const auto& rows) {
    for (const auto* row : rows)
      if (runnable(row->info)) check(*row);
  };
  for_all(hash_kernels());
  for_all(hash_lanes_kernels());
}

bool equal(const Figures& a, const Figures& b) { return std::equal(a.of, a.of + tuner::kNumFigures, b.of); }

// Clocks that no load of the machine moves.
uint64_t frozen() noexcept { return 1'000'000; }
uint64_t calls = 0;
uint64_t rare() noexcept {
  return ++calls / 100'000 * 4'000'000;
}  // ticks after more readings than a measurement takes
uint64_t even() noexcept { return 1'000 * ++calls; }  // every run takes the same time
uint64_t disturbed() noexcept {                       // at times by another process
  const uint64_t now = even();
  return now + calls / 11 * 3'000'000;
}
// And one of whole microseconds.
uint64_t coarse() noexcept { return steady_nanoseconds() / 1'000 * 1'000; }

// A file of the person who runs this must not decide.
class Environment : public testing::Environment {
  void SetUp() override { ::setenv("VERSHINA_TUNE", "off", 1); }
};
const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new Environment);

TEST(BatchCosts, AClockThatStandsStillLeavesTheModel) {
  const BlockKernel& row = *rows_of(Algorithm::magma)[0];
  EXPECT_TRUE(equal(measured_figures(row, frozen), modelled_figures(row)));
  EXPECT_TRUE(equal(measured_figures(row, rare), modelled_figures(row)));
  for_hash_rows([](const auto& hash) {
    EXPECT_EQ(measured_call(hash, frozen), hash.info.pass_cost);
    EXPECT_EQ(measured_call(hash, rare), hash.info.pass_cost);
  });
}

// A row with keys in lanes, and one without: even where the difference of two times is nothing.
TEST(BatchCosts, NoMeasuredFigureIsNothing) {
  for (const Algorithm algorithm : kCiphers)
    for (const BlockKernel* row : rows_of(algorithm))
      for (const Clock clock : {Clock{steady_nanoseconds}, Clock{coarse}, Clock{even}}) {
        const Figures of = measured_figures(*row, clock);
        for (const uint32_t cycles : of.of) EXPECT_GT(cycles, 0u) << row->info.variant;
        EXPECT_GE(of[Figure::request], of[Figure::pass]);
        EXPECT_GE(uint64_t{of[Figure::chain]} * row->info.lanes, of[Figure::pass]);
        if (!row->lanes_schedule_size) continue;
        for (const Figure lane : {Figure::lane_row, Figure::lane_apart, Figure::lane_chain, Figure::lane_tag})
          EXPECT_GE(2 * of[lane] + 1, of[Figure::pass]) << row->info.variant;
      }
  for_hash_rows([](const auto& hash) {
    for (const Clock clock : {Clock{steady_nanoseconds}, Clock{coarse}, Clock{even}})
      EXPECT_GT(measured_call(hash, clock), 0u) << hash.info.variant;
  });
}

// Milliseconds that another process takes do not become the cost of a row.
TEST(BatchCosts, ADisturbedSampleDoesNotCount) {
  for (const Algorithm algorithm : kCiphers) {
    const BlockKernel& row = *rows_of(algorithm)[0];
    EXPECT_TRUE(equal(measured_figures(row, disturbed), measured_figures(row, even))) << row.info.variant;
  }
}

TEST(BatchCosts, OffIsTheModelAndElseEachRowIsMeasuredOnce) {
  const BlockKernel& row = *rows_of(Algorithm::magma)[0];
  EXPECT_TRUE(equal(figures_of(row), modelled_figures(row)));
  ::unsetenv("VERSHINA_TUNE");
  Figures seen[8];
  std::vector<std::thread> threads;
  for (Figures& figures : seen) threads.emplace_back([&] { figures = figures_of(row); });
  for (std::thread& thread : threads) thread.join();
  for (const Figures& figures : seen) EXPECT_TRUE(equal(figures, seen[0]));
  EXPECT_TRUE(equal(figures_of(row), seen[0]));
  ::setenv("VERSHINA_TUNE", "off", 1);
}

// Whatever the figures: blocks cost at least what the cheapest row takes for as many, and no less than one request;
// a chain no less than its steps. A model that has a block alone too cheap runs chains singly that lanes do better.
// A chunk names its kernel by its place in the costs, under one key or many.
TEST(BatchCosts, OfOneKeyAreThoseOfTheSameKernels) {
  for (const Algorithm algorithm : kCiphers) {
    const Cipher cipher = cipher_of(algorithm);
    const auto kernels = lane_kernels(cipher);
    const BatchCosts costs(cipher, kernels);
    for (const LaneWork work : {LaneWork::parallel, LaneWork::apart, LaneWork::chained, LaneWork::tags}) {
      ASSERT_EQ(costs.one_key(work).size(), kernels.size());
      for (size_t i = 0; i < kernels.size(); ++i) {
        EXPECT_EQ(costs.one_key(work)[i].lanes, kernels[i]->info.lanes);
        EXPECT_EQ(costs.one_key(work)[i].prepare, 0u);
        EXPECT_GE(costs.one_key(work)[i].pass, 1u);
        EXPECT_GT(costs.one_key(work, true)[i].pass, costs.one_key(work)[i].pass) << "far away";
        EXPECT_GT(costs.lanes(work, true)[i].pass, costs.lanes(work)[i].pass) << "far away";
      }
    }
    EXPECT_TRUE(costs.one_key(LaneWork::imit).empty());
  }
}

TEST(BatchCosts, NoMessageAloneIsCheaperThanItsBlocks) {
  Random random(1);
  for (const Algorithm algorithm : kCiphers) {
    const Cipher cipher = cipher_of(algorithm);
    for (int round = 0; round < 50; ++round) {
      std::vector<Figures> of_rungs;
      double by_block = 1e300;
      uint64_t request = UINT64_MAX;
      for (const Rung& rung : cipher.kernels.ladder) {
        Figures figures;
        for (uint32_t& cycles : figures.of) cycles = static_cast<uint32_t>(1 + random.below(20000));
        by_block = std::min(by_block, static_cast<double>(figures[Figure::pass]) / rung.row->info.lanes);
        request = std::min<uint64_t>(request, figures[Figure::request]);
        of_rungs.push_back(figures);
      }
      const BatchCosts costs(cipher, {}, {}, of_rungs);
      EXPECT_EQ(costs.parallel(0), 0u);
      for (const uint64_t blocks : {1, 2, 3, 16, 17, 64, 100, 256, 1000, 65536}) {
        EXPECT_GE(costs.parallel(blocks), request);
        EXPECT_GE(static_cast<double>(costs.parallel(blocks)), 0.999 * by_block * static_cast<double>(blocks));
        EXPECT_EQ(costs.chain(blocks), blocks * of_rungs.back()[Figure::chain]);
      }
    }
  }
}

TEST(BatchCosts, OfAJobAloneHoldItsBlocks) {
  const uint8_t keys[2 * 32] = {};
  for (const char* tune : {"off", ""}) {
    *tune ? ::setenv("VERSHINA_TUNE", tune, 1) : ::unsetenv("VERSHINA_TUNE");
    for (const Algorithm algorithm : kCiphers) {
      const KeySet set(cipher_of(algorithm), keys, 2);
      const BatchCosts& costs = set.costs();
      const size_t n = set.cipher().block_size();
      for (const uint32_t slot : {0u, kNoSlot}) {
        Job job{};
        job.slot = slot, job.len = 64 * n, job.iv_len = n;
        job.operation = Operation::ecb_encrypt;
        EXPECT_GT(cost_alone(set, job, 64), costs.parallel(64));
        for (const Operation operation : {Operation::cbc_encrypt, Operation::ofb, Operation::mac}) {
          job.operation = operation;
          EXPECT_GT(cost_alone(set, job, 64), costs.chain(64));
        }
      }
      for (const Operation operation : {Operation::ecb_encrypt, Operation::cbc_encrypt, Operation::mac})
        EXPECT_EQ(costs.lanes(operation).size(), set.kernels().size());
    }
  }
  ::setenv("VERSHINA_TUNE", "off", 1);
}

}  // namespace
}  // namespace vsh::streams
