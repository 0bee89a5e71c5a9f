// Work on threads: each unit is done once, whatever the number of threads.
#include "core/executor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
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

TEST(Executor, WhatAUnitThrowsReachesTheCaller) {
  const auto run = [] {
    for_units(8, 1, [](Units& units) {
      units.take([](size_t i) {
        if (i == 3) throw std::runtime_error("unit 3");
      });
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
}

}  // namespace
}  // namespace vsh
