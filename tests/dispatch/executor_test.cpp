// Work on threads: each unit is done once, whatever the number of threads.
#include "core/executor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace vsh {
namespace {

TEST(Executor, EachUnitIsTakenOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 3u, 17u})
    for (const size_t num : {size_t{0}, size_t{1}, size_t{2}, size_t{16}, size_t{1000}}) {
      std::vector<std::atomic<int>> taken(num);
      std::atomic<size_t> calls{0};
      for_units(num, threads, [&](Units& units) {
        ++calls;
        units.take([&](size_t i) { ++taken[i]; });
      });
      for (const auto& times : taken) EXPECT_EQ(times, 1);
      EXPECT_LE(calls, std::max<size_t>(1, std::min<size_t>(num, threads ? threads : available_threads())));
    }
}

TEST(Executor, UnitsOfOneThreadComeInTheirOrder) {
  std::vector<size_t> order;
  for_units(5, 1, [&](Units& units) { units.take([&](size_t i) { order.push_back(i); }); });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

TEST(Executor, RangesCoverAllUnitsInCallAfterCallAndWithinOneAnother) {
  for (int call = 0; call < 50; ++call)
    for (const unsigned threads : {2u, 3u}) {
      std::vector<std::atomic<int>> done(100);
      for_ranges(10, 1, threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          for_ranges(10, 3, threads + 1, [&, i](size_t first, size_t last) {
            for (size_t j = first; j < last; ++j) ++done[10 * i + j];
          });
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
}

TEST(Executor, WhatAUnitThrowsReachesTheCallerWhoMayGoOn) {
#ifdef __SANITIZE_THREAD__
  const unsigned most = 1;  // the executor of that build ends the program (tests/support/executor_threads.cpp)
#else
  const unsigned most = 3;
#endif
  for (unsigned threads = 1; threads <= most; ++threads)
    for (int call = 0; call < 20; ++call) {
      const auto run = [&](size_t wrong) {
        std::atomic<size_t> done{0};
        for_units(8, threads, [&](Units& units) {
          units.take([&](size_t i) {
            if (i == wrong) throw std::runtime_error("a unit");
            ++done;
          });
        });
        return done.load();
      };
      EXPECT_THROW(run(3), std::runtime_error);
      EXPECT_EQ(run(8), 8u);
    }
}

TEST(Executor, ThreadsThatEndLeaveTheirArenasInOrder) {
  for (int call = 0; call < 20; ++call) {
    std::vector<std::jthread> callers;
    std::atomic<size_t> done{0};
    for (int i = 0; i < 4; ++i)
      callers.emplace_back([&] {
        for (const unsigned threads : {2u, 3u, 0u})
          for_units(16, threads, [&](Units& units) { units.take([&](size_t) { ++done; }); });
      });
    callers.clear();
    EXPECT_EQ(done, 4u * 3u * 16u);
  }
}

}  // namespace
}  // namespace vsh
