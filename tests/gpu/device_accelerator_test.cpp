// Requests divided among slots and the processor: every mode has the same result as without them, with any failures, in
// place or not.
#include "gpu/schedule/device_accelerator.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "gpu/device/last_error.hpp"
#include "gpu/fakes/slot.hpp"
#include "gpu/support/accelerated_modes.hpp"

namespace vsh::gpu {
namespace {

using namespace test;
constexpr size_t kLeast = Accelerator::kLeast;
constexpr PieceSizes kSmallPieces = {16 << 10, 48 << 10, 16 << 10};
constexpr Algorithm kCiphers[] = {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147};

// An engine with an accelerator of fake devices, and one without.
struct Pair : Subject {
  Pair(Algorithm a, Random& random, HostPolicy policy, const std::vector<std::vector<Behaviour>>& devices,
       const PieceSizes& pieces = kSmallPieces)
      : Subject(a, random) {
    std::vector<DeviceSlots> members;
    for (const auto& slots : devices) {
      members.push_back({"test:" + std::to_string(members.size()), {}});
      for (const Behaviour& behaviour : slots)
        members.back().slots.push_back(std::make_unique<FakeSlot>(*plain.engine, *tweak.engine, parts, behaviour));
    }
    size_t least[kNumOperations];
    std::fill(std::begin(least), std::end(least), kLeast);
    fast.set_accelerator(
        std::make_shared<DeviceAccelerator>(fast.block_size(), std::move(members), policy, least, pieces));
  }

  std::atomic<size_t> parts = 0;
};

TEST(DeviceAccelerator, EveryModeAsWithoutIt) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(1);
  for (const Algorithm a : kCiphers)
    for (const HostPolicy policy : {HostPolicy::share, HostPolicy::fallback, HostPolicy::none}) {
      Pair pair(a, random, policy, {{{}, {}, {}}, {{}}});
      for (const Mode& mode : kModes) {
        if (!has(a, mode)) continue;
        const size_t before = pair.parts;
        check(pair, mode, kLeast, random);
        if (policy == HostPolicy::share) continue;  // the processor may have been first
        EXPECT_GT(pair.parts, before) << mode.name;
      }
    }
}

// One device is lost in the middle, the other's slots run out of memory one after the other; others continue.
TEST(DeviceAccelerator, WhatFailsIsDoneByOthers) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(2);
  const Behaviour lost{2, Error::Kind::lost}, no_memory{1, Error::Kind::memory}, at_once{0, Error::Kind::lost};
  const std::vector<std::vector<Behaviour>> groups[] = {{{lost, lost, lost}, {no_memory, {}}},
                                                        {{no_memory, no_memory}, {lost}},
                                                        {{at_once, at_once}},
                                                        {{at_once}, {at_once}}};
  for (const Algorithm a : kCiphers)
    for (const auto& devices : groups)
      for (const Mode& mode : kModes) {
        if (!has(a, mode)) continue;
        const HostPolicy policy = random.below(2) ? HostPolicy::share : HostPolicy::fallback;
        Pair pair(a, random, policy, devices);
        set_last_error("");
        check(pair, mode, kLeast, random);
        const bool some_stay = std::any_of(devices.begin(), devices.end(), [](const auto& slots) {
          return std::any_of(slots.begin(), slots.end(), [](const Behaviour& b) { return b.fails_after == SIZE_MAX; });
        });
        if (policy == HostPolicy::fallback && !some_stay) {
          EXPECT_NE(std::string(last_error()).find("made to fail"), std::string::npos);
        }
      }
}

// A request with work for only two of the slots; the third takes over when they fail.
TEST(DeviceAccelerator, SlotsWithoutAThreadTakeOver) {
  Random random(7);
  const Behaviour no_memory{0, Error::Kind::memory};
  Pair pair(Algorithm::magma, random, HostPolicy::none, {{no_memory, no_memory, {}}}, {kLeast, kLeast, kLeast});
  const Bytes data = random.bytes(kLeast);
  EXPECT_EQ(kModes[0].run(pair, pair.fast, data, false), kModes[0].run(pair, *pair.plain.engine, data, false));
  EXPECT_EQ(pair.parts, 1u);
}

TEST(DeviceAccelerator, NothingAnyMoreOnceAllDevicesAreLost) {
  Random random(3);
  Pair pair(Algorithm::magma, random, HostPolicy::fallback, {{{0}}, {{0}}});
  const Mode& ecb = kModes[0];
  check(pair, ecb, kLeast, random);
  EXPECT_EQ(pair.fast.accelerator_for(Operation::ecb_encrypt, 1 << 20), nullptr);
  EXPECT_EQ(pair.parts, 0u);
  check(pair, ecb, kLeast, random);
}

// An explicit device: its failure is the request's, now and later.
TEST(DeviceAccelerator, WhereTheProcessorRestsTheErrorComesOut) {
  Random random(4);
  Pair pair(Algorithm::kuznyechik, random, HostPolicy::none, {{{1}, {1}}});
  Bytes data = random.bytes(kLeast * 8);
  for (int i = 0; i < 3; ++i) {
    try {
      pair.fast.encrypt(data.data(), data.data(), data.size() / pair.n());
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::lost);
      if (i == 0) {
        EXPECT_EQ(std::string(error.what()), "device test:0: it was made to fail");
      }
    }
  }
}

TEST(DeviceAccelerator, OtherExceptionsComeOut) {
  Random random(5);
  for (const HostPolicy policy : {HostPolicy::fallback, HostPolicy::none}) {
    Pair pair(Algorithm::magma, random, policy, {{{0, Error::Kind::lost, true}, {0, Error::Kind::lost, true}}});
    Bytes data = random.bytes(kLeast * 8);
    EXPECT_THROW(pair.fast.encrypt(data.data(), data.data(), data.size() / pair.n()), std::bad_alloc);
  }
}

// Copies share the accelerator, and threads may use them at the same time.
TEST(DeviceAccelerator, CopiesOnSeveralThreads) {
  Random random(6);
  Pair pair(Algorithm::magma, random, HostPolicy::share, {{{}, {}}});
  const Bytes data = random.bytes(kLeast * 4);
  const Bytes expected = kModes[2].run(pair, *pair.plain.engine, data, false);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const BlockEngine copy(pair.fast);
      if (kModes[2].run(pair, copy, data, true) != expected) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// The threads of slots are those of the request before.
TEST(DeviceAccelerator, ThreadsServeEveryRequest) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  DeviceScheduler scheduler({{"test:0", 3}}, HostPolicy::share, 1);
  DeviceScheduler::Request request{
      .num_units = 400, .grain = 1, .kind = 0, .slot_min = 1, .slot_max = 1, .processor_min = 1};
  request.on_slot = [&](size_t, WorkSplitter::Piece) {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  };
  request.on_processor = [](WorkSplitter::Piece) { std::this_thread::yield(); };
  for (int i = 0; i < 50; ++i) scheduler.run(request);
  EXPECT_LE(ids.size(), 3u);
  EXPECT_FALSE(ids.contains(std::this_thread::get_id()));
}

// A child has none of the threads: it does the work, waits for nothing, and frees its memory.
TEST(DeviceAccelerator, AForkedChildWorksWithoutTheThreads) {
  Random random(8);
  for (const HostPolicy policy : {HostPolicy::share, HostPolicy::fallback, HostPolicy::none}) {
    auto pair =
        std::make_unique<Pair>(Algorithm::magma, random, policy, std::vector<std::vector<Behaviour>>{{{}, {}}, {{}}});
    const Bytes data = random.bytes(kLeast * 4);
    const Bytes expected = kModes[0].run(*pair, *pair->plain.engine, data, false);
    for (int i = 0; i < 20; ++i) {  // right after a request: threads are about to sleep
      ASSERT_EQ(kModes[0].run(*pair, pair->fast, data, false), expected);
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(60);
        const bool is_right = kModes[0].run(*pair, pair->fast, data, false) == expected;
        pair.reset();
        ::_exit(is_right ? 0 : 1);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_EQ(status, 0);
    }
  }
}

}  // namespace
}  // namespace vsh::gpu
