// The division of a batch into chunks, with synthetic costs: no job lost or repeated, and no better division missed.
#include "streams/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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
void check(const Plan& plan, std::vector<Item> items, const std::vector<LaneCost>& kernels) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.job < b.job; });
  std::set<uint32_t> seen(plan.alone.begin(), plan.alone.end());
  ASSERT_EQ(seen.size(), plan.alone.size());
  uint64_t cost = 0;
  for (const uint32_t job : plan.alone) cost += items[job].alone;
  for (const Chunk& chunk : plan.chunks) {
    const LaneCost& kernel = kernels[chunk.kernel];
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
      if (chunk.group != Chunk::kNoGroup) {
        EXPECT_EQ(items[p.job].slot / kernel.lanes, chunk.group);
        EXPECT_EQ(items[p.job].slot % kernel.lanes, p.lane);
      }
    }
    EXPECT_EQ(chunk.rows, rows);
    cost += rows * kernel.pass + (chunk.group == Chunk::kNoGroup ? kernel.prepare : 0);
  }
  EXPECT_EQ(seen.size(), items.size());
  EXPECT_EQ(plan.cost, cost);
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
        const Plan plan = by_key(items, kWide[0], num_slots);
        if (plan.cost != UINT64_MAX) check(plan, items, kWide);
      }
      check(cheapest(items, kBoth, num_slots), items, kBoth);
    }
}

TEST(Plan, PreparedKeysAreUsedAsTheyLie) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 20; ++i) items.push_back({50, 20000, i, i});
  const Plan plan = cheapest(items, kBoth, 20);
  ASSERT_EQ(plan.chunks.size(), 3u);
  for (uint32_t g = 0; g < 3; ++g) EXPECT_EQ(plan.chunks[g].group, g);
  EXPECT_EQ(plan.cost, 3u * 50 * 100);
}

TEST(Plan, OneKeyWithManyMessages) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 100; ++i) items.push_back({50, 50 * 80, i, 3});
  EXPECT_EQ(by_key(items, kWide[0], 64).cost, UINT64_MAX);
  check(cheapest(items, kWide, 64), items, kWide);
}

// A message for one key of each of many groups: the chunks would be all but empty.
TEST(Plan, FewOfVeryManyKeys) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 40; ++i) items.push_back({50, 50 * 80, i, 1000003 * i});
  const size_t num_slots = 40 * size_t{1000003};
  check(by_key(std::span(items).first(16), kWide[0], num_slots), {items.begin(), items.begin() + 16}, kWide);
  const LaneCost wide{64, 100, 250};
  check(by_key(items, wide, num_slots), items, {wide});
  std::swap(items[0].slot, items[1].slot);  // not in order: such a plan is not made
  EXPECT_EQ(by_key(items, wide, num_slots).cost, UINT64_MAX);
  const Plan plan = cheapest(items, std::span(&wide, 1), num_slots);
  ASSERT_EQ(plan.chunks.size(), 1u);
  EXPECT_EQ(plan.chunks[0].group, Chunk::kNoGroup);
  EXPECT_EQ(plan.cost, 250u + 50 * 100);
}

TEST(Plan, ThreadsThatWouldIdle) {
  EXPECT_EQ(threads_a_chunk(1, 10, 256), 1u);
  EXPECT_EQ(threads_a_chunk(4, 0, 256), 1u);
  EXPECT_EQ(threads_a_chunk(0, 1, 256), 1u);
  const uint64_t all = threads_a_chunk(0, 256, 256);
  EXPECT_GE(all, 1u);
  EXPECT_LE(all, 256u);
  EXPECT_EQ(threads_a_chunk(0, 257, 256), std::max<uint64_t>(all / 2, 1));
  EXPECT_EQ(threads_a_chunk(0, 256 * 100000, 256), 1u);
  EXPECT_LE(threads_a_chunk(3, 256, 256), 3u);
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

// For one chunk, no other choice of messages to run singly is cheaper.
TEST(Plan, NoChoiceWithinAChunkIsCheaper) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Item> items = random_items(random, 1 + random.below(8), 25, 5 + random.below(60), 0);
    const Plan plan = by_length(items, kWide);
    uint64_t best = UINT64_MAX;
    for (uint32_t in_lanes = 0; in_lanes < 1u << items.size(); ++in_lanes) {
      uint64_t cost = in_lanes ? kWide[0].prepare : 0, rows = 0;
      for (size_t i = 0; i < items.size(); ++i)
        in_lanes >> i & 1 ? void(rows = std::max(rows, items[i].rows)) : void(cost += items[i].alone);
      best = std::min(best, cost + rows * kWide[0].pass);
    }
    ASSERT_EQ(plan.cost, best);
  }
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
