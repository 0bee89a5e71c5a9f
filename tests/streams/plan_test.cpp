// The division of a batch into chunks, with synthetic costs: no job lost or repeated, and no better division missed.
#include "streams/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/executor.hpp"
#include "support/random.hpp"

namespace vsh::streams {
namespace {

using test::Random;

std::vector<Item> random_items(Random& random, size_t num, size_t longest, uint64_t block_alone, size_t num_slots) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < num; ++i) {
    const uint64_t rows = 1 + random.below(longest);
    items.push_back(
        {rows, 20 + rows * block_alone, i, num_slots ? static_cast<uint32_t>(random.below(num_slots)) : kNoSlot});
  }
  return items;
}

// Checks that every job occurs once, lanes are distinct, chunks are as long as their longest job, and the cost is
// correct.
void check(const Plan& plan, std::vector<Item> items, const std::vector<LaneCost>& kernels,
           const OneKeyCost& one_key = {}) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.job < b.job; });
  std::set<uint32_t> seen(plan.alone.begin(), plan.alone.end());
  ASSERT_EQ(seen.size(), plan.alone.size());
  uint64_t cost = 0;
  for (const uint32_t job : plan.alone) cost += items[job].alone;
  for (const Chunk& chunk : plan.chunks) {
    const bool has_one_key = chunk.group == Chunk::kOneKey;
    const LaneCost& kernel = has_one_key ? one_key.kernels[chunk.kernel] : kernels[chunk.kernel];
    const uint32_t slot = items[plan.placed[chunk.first].job].slot;
    EXPECT_FALSE(has_one_key && slot == kNoSlot);
    ASSERT_GT(chunk.num, 0u);
    ASSERT_LE(chunk.num, kernel.lanes);
    std::set<uint32_t> lanes;
    uint64_t rows = 0;
    for (size_t i = 0; i < chunk.num; ++i) {
      const Placed& p = plan.placed[chunk.first + i];
      EXPECT_TRUE(seen.insert(p.job).second) << "job " << p.job << " twice";
      EXPECT_TRUE(lanes.insert(p.lane).second);
      EXPECT_LT(p.lane, kernel.lanes);
      rows = std::max(rows, items[p.job].rows);
      if (has_one_key) {
        EXPECT_EQ(items[p.job].slot, slot);
      } else if (chunk.group != Chunk::kNoGroup) {
        EXPECT_EQ(items[p.job].slot / kernel.lanes, chunk.group);
        EXPECT_EQ(items[p.job].slot % kernel.lanes, p.lane);
      }
    }
    EXPECT_EQ(chunk.rows, rows);
    cost += rows * kernel.pass + (has_one_key ? one_key.engine : chunk.group == Chunk::kNoGroup ? kernel.prepare : 0);
  }
  EXPECT_EQ(seen.size(), items.size());
  EXPECT_EQ(plan.cost, cost);
  EXPECT_LE(plan.longest, plan.cost);
}

const std::vector<LaneCost> kWide = {{8, 100, 250}};
const std::vector<LaneCost> kBoth = {{8, 100, 250}, {3, 60, 120}};

TEST(Plan, EveryJobOnce) {
  Random random(1);
  for (size_t num = 0; num < 40; ++num)
    for (const size_t num_slots : {0, 1, 5, 20}) {
      std::vector<Item> items = random_items(random, num, 30, 40, num_slots);
      check(by_length(items, kBoth), items, kBoth);
      check(by_length(items, kWide), items, kWide);
      check(by_length(items, {}), items, {});
      if (num_slots) {
        const Plan plan = by_key(items, kBoth, num_slots);
        if (plan.cost != UINT64_MAX) check(plan, items, kBoth);
      }
      for (const unsigned threads : {1u, 0u}) check(cheapest(items, kBoth, num_slots, threads), items, kBoth);
    }
}

TEST(Plan, PreparedKeysAreUsedAsTheyLie) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 20; ++i) items.push_back({50, 20000, i, i});
  const Plan plan = cheapest(items, kWide, 20, 1);
  ASSERT_EQ(plan.chunks.size(), 3u);
  for (uint32_t g = 0; g < 3; ++g) EXPECT_EQ(plan.chunks[g].group, g);
  EXPECT_EQ(plan.cost, 3u * 50 * 100);
}

// Twelve keys: a group of eight, and of the other group only the half that is used.
TEST(Plan, GroupsOfTheNarrowerKernelWhereLanesAreLeftOver) {
  const std::vector<LaneCost> kernels = {{8, 100, 250}, {4, 60, 120}};
  std::vector<Item> items;
  for (uint32_t i = 0; i < 12; ++i) items.push_back({50, 20000, i, i});
  const Plan plan = cheapest(items, kernels, 12, 1);
  ASSERT_EQ(plan.chunks.size(), 2u);
  EXPECT_EQ(plan.chunks[0].kernel, 0u);
  EXPECT_EQ(plan.chunks[1].kernel, 1u);
  EXPECT_EQ(plan.chunks[1].group, 2u);
  EXPECT_EQ(plan.cost, 50u * (100 + 60));
  check(plan, items, kernels);
}

// Also if they come in any order, where the plan by lengths is made first.
TEST(Plan, PreparedKeysInAnyOrder) {
  const std::vector<LaneCost> kernels{{16, 300, 3000}, {4, 150, 1500}};
  std::vector<Item> items;
  for (uint32_t i = 0; i < 64; ++i) items.push_back({12, 12 * 1000, i, i * 27 % 64});
  const uint64_t by_keys = 4 * 12 * 300, by_lengths = by_keys + 4 * 3000;
  EXPECT_EQ(by_length(items, kernels).cost, by_lengths);
  const Plan plan = cheapest(items, kernels, 64, 1);
  EXPECT_EQ(plan.cost, by_keys);
  check(plan, items, kernels);
}

TEST(Plan, OneKeyWithManyMessages) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 100; ++i) items.push_back({50, 50 * 80, i, 3});
  EXPECT_EQ(by_key(items, kWide, 64).cost, UINT64_MAX);
  check(cheapest(items, kWide, 64, 1), items, kWide);
}

// Many messages of key 8, one of each other: chunks under that key, and those of the prepared keys.
TEST(Plan, ChunksUnderOneKey) {
  const std::vector<LaneCost> kernels{{8, 100, 250}, {4, 60, 120}}, of_one{{8, 90, 0}, {4, 50, 0}};
  const OneKeyCost one_key{of_one, 70};
  std::vector<Item> items;
  for (uint32_t i = 0; i < 40; ++i) items.push_back({50, 20000, i, i % 5 ? 8 : i / 5});
  const Plan plan = cheapest(items, kernels, 9, 1, one_key);
  EXPECT_EQ(plan.cost, 4u * (50 * 90 + 70) + 50 * 100);
  EXPECT_EQ(plan.chunks.size(), 5u);
  check(plan, items, kernels, one_key);
  for (Item& item : items) item.slot = kNoSlot;
  EXPECT_EQ(cheapest(items, kernels, 9, 1, one_key).cost, cheapest(items, kernels, 9, 1).cost);
}

// Few messages of one key are worth a plan where chunks under it are cheap, though slicing it is not.
TEST(Plan, FewMessagesOfOneKey) {
  const std::vector<LaneCost> kernels{{8, 100, 50000}}, of_one{{8, 100, 0}};
  const OneKeyCost one_key{of_one, 70};
  std::vector<Item> items;
  for (uint32_t i = 0; i < 8; ++i) items.push_back({10, 1500, i, 0});
  EXPECT_TRUE(better_unplanned(items, kernels, 1, kPlanCost));
  EXPECT_FALSE(better_unplanned(items, kernels, 1, kPlanCost, one_key));
  EXPECT_EQ(cheapest(items, kernels, 1, 1, one_key).cost, 1070u);
}

// A message for one key of each of many groups: the chunks would be all but empty.
TEST(Plan, FewOfVeryManyKeys) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 40; ++i) items.push_back({50, 50 * 80, i, 1000003 * i});
  const size_t num_slots = 40 * size_t{1000003};
  check(by_key(std::span(items).first(16), kWide, num_slots), {items.begin(), items.begin() + 16}, kWide);
  const std::vector<LaneCost> wide{{64, 100, 250}};
  check(by_key(items, wide, num_slots), items, wide);
  std::swap(items[0].slot, items[1].slot);  // not in order: such a plan is not made
  EXPECT_EQ(by_key(items, wide, num_slots).cost, UINT64_MAX);
  const Plan plan = cheapest(items, wide, num_slots, 1);
  ASSERT_EQ(plan.chunks.size(), 1u);
  EXPECT_EQ(plan.chunks[0].group, Chunk::kNoGroup);
  EXPECT_EQ(plan.cost, 250u + 50 * 100);
}

// One chunk of eight takes 100 a row on one thread; two of four take 120, 60 on each of two.
TEST(Plan, NarrowerChunksForSeveralThreads) {
  if (available_threads() < 2) GTEST_SKIP() << "one processor";
  const std::vector<LaneCost> kernels = {{8, 100, 0}, {4, 60, 0}};
  const auto items = [](uint64_t rows) {
    std::vector<Item> all;
    for (uint32_t i = 0; i < 8; ++i) all.push_back({rows, rows * 1000, i, kNoSlot});
    return all;
  };
  std::vector<Item> many = items(10000), few = items(10);
  EXPECT_EQ(cheapest(many, kernels, 0, 1).chunks.size(), 1u);
  const Plan plan = cheapest(many, kernels, 0, 2);
  EXPECT_EQ(plan.chunks.size(), 2u);
  EXPECT_EQ(plan.threads, 2u);
  check(plan, many, kernels);
  // Not worth waking a thread.
  EXPECT_EQ(cheapest(few, kernels, 0, 2).threads, 1u);
  EXPECT_EQ(cheapest(few, kernels, 0, 2).chunks.size(), 1u);
}

// Plans that are joined keep their chunks, and run on the threads that all of them are worth.
TEST(Plan, JoinedPlansKeepTheirJobs) {
  Random random(6);
  const std::vector<Item> items = random_items(random, 300, 40, 30, 0);
  Plan plan;
  add_alone(plan, items[0]);
  for (const auto& [first, num] : {std::pair<size_t, size_t>{1, 120}, {121, 179}}) {
    std::vector<Item> part(items.begin() + static_cast<ptrdiff_t>(first),
                           items.begin() + static_cast<ptrdiff_t>(first + num));
    append(plan, cheapest(part, kWide, 0, 1));
  }
  check(plan, items, kWide);
  choose_threads(plan, 1);
  EXPECT_EQ(plan.threads, 1u);
  if (available_threads() < 2) GTEST_SKIP() << "one processor";
  choose_threads(plan, 2);
  EXPECT_EQ(plan.threads, plan.cost > 2 * kThreadsCost ? 2u : 1u);
  for (uint32_t i = 0; i < 10; ++i) add_alone(plan, {1, kThreadsCost, 300 + i, kNoSlot});
  choose_threads(plan, 2);
  EXPECT_EQ(plan.threads, 2u);
}

TEST(Plan, FewMessagesRunAlone) {
  std::vector<Item> items{{10, 10 * 40, 0, kNoSlot}, {10, 10 * 40, 1, kNoSlot}};
  EXPECT_EQ(by_length(items, kWide).alone.size(), 2u);
}

TEST(Plan, OneLongMessageDoesNotHoldTheOthersUp) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 8; ++i) items.push_back({i == 5 ? 1000u : 10u, i == 5 ? 40000u : 400u, i, kNoSlot});
  const Plan plan = by_length(items, kWide);
  EXPECT_EQ(plan.alone, std::vector<uint32_t>{5});
  EXPECT_EQ(plan.cost, 40000u + 250 + 10 * 100);
}

// Returns the least cost of all divisions of items from `first` on, given the members of the chunks so far.
uint64_t least_cost(const std::vector<Item>& items, const std::vector<LaneCost>& kernels, size_t first,
                    std::vector<std::vector<size_t>>& chunks) {
  if (first == items.size()) {
    uint64_t cost = 0;
    for (const auto& chunk : chunks) {
      uint64_t rows = 0, best = UINT64_MAX;
      for (const size_t i : chunk) rows = std::max(rows, items[i].rows);
      for (const LaneCost& kernel : kernels)
        if (chunk.size() <= kernel.lanes) best = std::min(best, kernel.prepare + rows * kernel.pass);
      if (best == UINT64_MAX) return best;
      cost += best;
    }
    return cost;
  }
  uint64_t best = least_cost(items, kernels, first + 1, chunks);
  if (best != UINT64_MAX) best += items[first].alone;
  for (size_t c = 0; c < chunks.size(); ++c) {
    chunks[c].push_back(first);
    best = std::min(best, least_cost(items, kernels, first + 1, chunks));
    chunks[c].pop_back();
  }
  chunks.push_back({first});
  best = std::min(best, least_cost(items, kernels, first + 1, chunks));
  chunks.pop_back();
  return best;
}

TEST(Plan, NoOtherDivisionIsCheaper) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<LaneCost> kernels = {{4, 40 + random.below(100), random.below(300)}};
    if (random.below(2)) kernels.push_back({2, 20 + random.below(80), random.below(200)});
    std::vector<Item> items = random_items(random, 1 + random.below(7), 25, 5 + random.below(60), 0);
    std::vector<std::vector<size_t>> chunks;
    const uint64_t best = least_cost(items, kernels, 0, chunks);
    ASSERT_EQ(by_length(items, kernels).cost, best);
  }
}

// Neighbours in chunks, or alone, at the least cost; full lanes of equal messages are taken without a comparison.
TEST(Plan, RunsOfEqualMessages) {
  Random random(6);
  double most = 1;
  for (int round = 0; round < 1000; ++round) {
    std::vector<LaneCost> kernels = {{8, 40 + random.below(100), random.below(300)}};
    if (random.below(2)) kernels.push_back({4, 20 + random.below(80), random.below(200)});
    std::vector<Item> items = random_items(random, random.below(100), 4, 5 + random.below(60), 0);
    const Plan plan = by_length(items, kernels);
    check(plan, items, kernels);
    std::vector<uint64_t> least(items.size() + 1);
    for (size_t i = items.size(); i-- > 0;) {
      least[i] = items[i].alone + least[i + 1];
      for (const LaneCost& k : kernels)
        least[i] =
            std::min(least[i], k.prepare + items[i].rows * k.pass + least[std::min<size_t>(i + k.lanes, items.size())]);
    }
    most = std::max(most, static_cast<double>(plan.cost) / static_cast<double>(std::max<uint64_t>(least[0], 1)));
  }
  EXPECT_LE(most, 1.02);
}

// Whatever the costs say: a batch is not planned to cost more than its messages one by one, nor one of prepared keys
// 3 % more than if they were sliced anew.
TEST(Plan, NeverDearerThanOneByOne) {
  Random random(4);
  for (int round = 0; round < 400; ++round) {
    std::vector<LaneCost> kernels;
    for (uint32_t lanes = 64; lanes >= 4; lanes /= 4)
      if (random.below(4)) kernels.push_back({lanes, 1 + random.below(3000), random.below(10000)});
    const size_t num_slots = random.below(2) ? 1 + random.below(300) : 0;
    std::vector<Item> items =
        random_items(random, random.below(300), 1 + random.below(200), random.below(200), num_slots);
    uint64_t one_by_one = 0;
    for (const Item& item : items) one_by_one += item.alone;
    const Plan plan = cheapest(items, kernels, num_slots, 1);
    ASSERT_LE(plan.cost, one_by_one);
    ASSERT_LE(static_cast<double>(plan.cost), 1.03 * static_cast<double>(by_length(items, kernels).cost));
    check(plan, items, kernels);
    std::vector<LaneCost> of_one = kernels;
    for (LaneCost& kernel : of_one) kernel.pass = 1 + random.below(3000), kernel.prepare = 0;
    const OneKeyCost one_key{of_one, random.below(1000)};
    for (const unsigned threads : {1u, 0u}) {
      const Plan of_keys = cheapest(items, kernels, num_slots, threads, one_key);
      if (threads == 1) {
        ASSERT_LE(of_keys.cost, plan.cost);
      }
      check(of_keys, items, kernels, one_key);
    }
  }
}

// Few messages that are not planned lose no more than a plan itself costs; without slots, those that are planned gain.
TEST(Plan, WhatIsBetterUnplannedHasNoBetterPlan) {
  Random random(5);
  int unplanned = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<LaneCost> kernels;
    for (uint32_t lanes = 64; lanes >= 4; lanes /= 2)
      if (random.below(4)) kernels.push_back({lanes, 1 + random.below(3000), random.below(3000), random.below(500)});
    const size_t num_slots = random.below(3) * random.below(40);
    const size_t num = 2 + random.below(kFewMessages - 1);
    std::vector<Item> items = random_items(random, num, 40, random.below(200), num_slots);
    uint64_t one_by_one = 0;
    for (const Item& item : items) one_by_one += item.alone;
    constexpr uint64_t kCost = 4500;
    const bool is_unplanned = better_unplanned(items, kernels, 1, kCost - num * kPlanCostOfItem);
    if (num_slots == 0) {
      EXPECT_EQ(is_unplanned, by_length(items, kernels).cost + kCost >= one_by_one);
    }
    if (!is_unplanned) continue;
    ++unplanned;
    EXPECT_GE(cheapest(items, kernels, num_slots, 1).cost + kCost, one_by_one);
  }
  EXPECT_GT(unplanned, 20);
}

TEST(Plan, LengthsInOrder) {
  Random random(3);
  std::vector<Item> items = random_items(random, 64, 1000, 1000000, 0);
  const Plan plan = by_length(items, kWide);
  ASSERT_EQ(plan.chunks.size(), 8u);
  for (size_t i = 1; i < plan.chunks.size(); ++i) EXPECT_LE(plan.chunks[i].rows, plan.chunks[i - 1].rows);
  std::vector<Item> equal(30, Item{5, 1000000, 0, kNoSlot});
  for (uint32_t i = 0; i < 30; ++i) equal[i].job = i;
  const Plan in_order = by_length(equal, kWide);
  for (uint32_t i = 0; i < 30; ++i) EXPECT_EQ(in_order.placed[i].job, i);
}

}  // namespace
}  // namespace vsh::streams
