// The splitter of a request among workers of unequal speed, over a simulated clock.
#include "gpu/schedule/work_splitter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace vsh::gpu {
namespace {

constexpr size_t kGrain = 1024;

// The real rate of a worker, unknown to the splitter.
struct Real {
  size_t min, max;
  double rate;                 // units a second
  double latency = 0;          // seconds a piece
  size_t fails_at = SIZE_MAX;  // number of the piece that it returns
};

struct Outcome {
  double seconds = 0;
  size_t pieces = 0;
  std::vector<size_t> done;    // units of each worker
  std::vector<uint8_t> times;  // how often each grain was done
};

// Runs a request on a clock that moves from the end of one piece to the end of the next.
Outcome simulate(size_t num_units, const std::vector<Real>& workers, const std::vector<double>& known = {}) {
  struct Hand {
    bool is_busy = false, has_failed = false;
    double since = 0, until = 0;
    WorkSplitter::Piece piece{};
    size_t taken = 0;
  };
  std::vector<WorkSplitter::Worker> asked;
  for (size_t i = 0; i < workers.size(); ++i)
    asked.push_back({workers[i].min, workers[i].max, known.empty() ? 0 : known[i]});
  WorkSplitter splitter(num_units, kGrain, asked);
  Outcome outcome;
  outcome.done.resize(workers.size());
  outcome.times.resize((num_units + kGrain - 1) / kGrain);
  std::vector<Hand> hands(workers.size());
  double now = 0;
  for (;;) {
    for (size_t i = 0; i < workers.size(); ++i) {
      if (hands[i].is_busy || hands[i].has_failed) continue;
      const auto piece = splitter.take(i);
      if (!piece) continue;
      EXPECT_EQ(piece->begin % kGrain, 0u);
      EXPECT_LE(piece->size(), std::max(workers[i].max, kGrain));
      hands[i].is_busy = true, hands[i].since = now, hands[i].piece = *piece, ++hands[i].taken;
      hands[i].until = now + workers[i].latency + static_cast<double>(piece->size()) / workers[i].rate;
      ++outcome.pieces;
    }
    Hand* next = nullptr;
    for (Hand& hand : hands)
      if (hand.is_busy && (!next || hand.until < next->until)) next = &hand;
    if (!next) break;
    const size_t i = static_cast<size_t>(next - hands.data());
    now = next->until, next->is_busy = false;
    if (next->taken > workers[i].fails_at) {
      next->has_failed = true;
      splitter.give_back(i, next->piece);
      continue;
    }
    splitter.done(i, next->piece, now - next->since);
    outcome.done[i] += next->piece.size();
    for (size_t unit = next->piece.begin; unit < next->piece.end; unit += kGrain) ++outcome.times[unit / kGrain];
  }
  outcome.seconds = now;
  EXPECT_TRUE(splitter.is_finished());
  EXPECT_EQ(std::count(outcome.times.begin(), outcome.times.end(), 1), static_cast<ptrdiff_t>(outcome.times.size()));
  return outcome;
}

double rate_of_all(const std::vector<Real>& workers) {
  double sum = 0;
  for (const Real& worker : workers) sum += worker.rate;
  return sum;
}

constexpr size_t kMiB = 1 << 20;

// The rate is at least 0.9 of the sum of both.
TEST(WorkSplitter, DevicesAndProcessorReachNineTenthsOfTheirSum) {
  struct Case {
    const char* name;
    std::vector<Real> workers;
  };
  const std::vector<Real> four_slots(4, Real{kMiB, 16 * kMiB, 12e9, 30e-6});
  std::vector<Real> device_and_processor = four_slots, two_devices = four_slots;
  device_and_processor.push_back({kMiB, 16 * kMiB, 10e9});
  for (int i = 0; i < 4; ++i) two_devices.push_back({kMiB, 16 * kMiB, 4e9, 30e-6});
  two_devices.push_back({kMiB, 16 * kMiB, 6e9});
  const Case cases[] = {{"equal", {{kMiB, 16 * kMiB, 5e9}, {kMiB, 16 * kMiB, 5e9}}},
                        {"one to ten", {{kMiB, 16 * kMiB, 50e9}, {kMiB, 16 * kMiB, 5e9}}},
                        {"one to a hundred", {{kMiB, 16 * kMiB, 50e9}, {kMiB, 16 * kMiB, 0.5e9}}},
                        {"device and processor", device_and_processor},
                        {"two devices and processor", two_devices}};
  for (const auto& [name, workers] : cases) {
    SCOPED_TRACE(name);
    const size_t num = 1024 * kMiB;
    const Outcome outcome = simulate(num, workers);
    EXPECT_GE(static_cast<double>(num) / outcome.seconds, 0.9 * rate_of_all(workers));
  }
}

// With rates from the last request a shorter one suffices.
TEST(WorkSplitter, KnownRatesDivideAShortRequest) {
  const std::vector<Real> workers = {{256 << 10, 16 * kMiB, 30e9}, {256 << 10, 16 * kMiB, 10e9}};
  const size_t num = 32 * kMiB;
  const Outcome outcome = simulate(num, workers, {30e9, 10e9});
  EXPECT_GE(static_cast<double>(num) / outcome.seconds, 0.9 * 40e9);
  EXPECT_NEAR(static_cast<double>(outcome.done[0]) / static_cast<double>(num), 0.75, 0.05);
}

TEST(WorkSplitter, RatesOfThePastThatAreWrongAreForgotten) {
  const std::vector<Real> workers = {{kMiB, 16 * kMiB, 5e9}, {kMiB, 16 * kMiB, 20e9}};
  const size_t num = 1024 * kMiB;
  const Outcome outcome = simulate(num, workers, {50e9, 1e9});
  EXPECT_GE(static_cast<double>(num) / outcome.seconds, 0.9 * rate_of_all(workers));
}

// A worker that would still be busy when all others are finished takes nothing.
TEST(WorkSplitter, SlowWorkerDoesNotHoldUpTheEnd) {
  const std::vector<Real> workers = {{kMiB, 16 * kMiB, 50e9}, {kMiB, 16 * kMiB, 0.01e9}};
  const size_t num = 64 * kMiB;
  const Outcome outcome = simulate(num, workers, {50e9, 0.01e9});
  EXPECT_EQ(outcome.done[1], 0u);
}

TEST(WorkSplitter, WhatIsGivenBackIsDoneByOthers) {
  std::vector<Real> workers = {{kMiB, 16 * kMiB, 10e9}, {kMiB, 16 * kMiB, 10e9}};
  for (const size_t fails_at : {0, 1, 5, 20}) {
    workers[0].fails_at = fails_at;
    const Outcome outcome = simulate(256 * kMiB + 5 * kGrain, workers);
    EXPECT_GT(outcome.done[1], 0u);
  }
}

TEST(WorkSplitter, NobodyIsLeft) {
  WorkSplitter splitter(4 * kGrain, kGrain, {{kGrain, kGrain}, {kGrain, kGrain}});
  const auto a = splitter.take(0), b = splitter.take(1);
  ASSERT_TRUE(a && b);
  splitter.give_back(0, *a);
  splitter.deactivate(1);
  EXPECT_FALSE(splitter.take(0));
  EXPECT_FALSE(splitter.take(1));
  EXPECT_FALSE(splitter.is_finished());
}

// Any size, whole or not; grains larger than a worker's share.
TEST(WorkSplitter, EveryUnitOnce) {
  for (const size_t num : {size_t{1}, kGrain - 1, kGrain, kGrain + 1, 3 * kMiB + 77, 100 * kMiB})
    simulate(num, {{kMiB, 4 * kMiB, 3e9}, {100, 200, 1e9}, {kMiB, 4 * kMiB, 1e6}});
}

}  // namespace
}  // namespace vsh::gpu
