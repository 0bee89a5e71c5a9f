// Streebog over many messages at once: every row against the reference, lane by lane.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "streebog/reference.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/skipped_rows.hpp"

namespace vsh::streebog {
namespace {

using reference::Vector512;
using test::GuardedBuffer;
using test::Random;

std::vector<const HashLanesKernel*> runnable_rows() {
  std::vector<const HashLanesKernel*> rows;
  for (const HashLanesKernel* row : hash_lanes_kernels())
    if (test::runs_here(row->info)) rows.push_back(row);
  return rows;
}

// The arguments of a call: a separate string for every h, n and m of every lane.
struct Call {
  std::vector<Vector512> h, n, m;
  std::vector<uint8_t*> ph;
  std::vector<const uint8_t*> pn, pm;

  explicit Call(uint32_t lanes) : h(lanes), n(lanes), m(lanes), ph(lanes), pn(lanes), pm(lanes) {
    for (uint32_t i = 0; i < lanes; ++i) ph[i] = h[i].data(), pn[i] = n[i].data(), pm[i] = m[i].data();
  }
  void fill(Random& random) {
    for (auto* strings : {&h, &n, &m})
      for (Vector512& s : *strings) random.fill(s.data(), s.size());
  }
  std::vector<Vector512> expected() const {
    std::vector<Vector512> result;
    for (size_t i = 0; i < h.size(); ++i) result.push_back(reference::g(n[i], h[i], m[i]));
    return result;
  }
  void run(const HashLanesKernel& row) { row.compress(ph.data(), pn.data(), pm.data()); }
};

class StreebogLanes : public testing::TestWithParam<const HashLanesKernel*> {
 protected:
  const HashLanesKernel& row() const { return *GetParam(); }
  uint32_t lanes() const { return row().info.lanes; }
};

TEST_P(StreebogLanes, RandomStrings) {
  SCOPED_TRACE(test::seed_note());
  Random random(21);
  for (int repeat = 0; repeat < 8; ++repeat) {
    Call call(lanes());
    call.fill(random);
    const auto expected = call.expected();
    call.run(row());
    for (uint32_t i = 0; i < lanes(); ++i) ASSERT_EQ(call.h[i], expected[i]) << "lane " << i;
  }
}

// A change of one lane's input changes that lane's result and no other.
TEST_P(StreebogLanes, LanesAreIndependent) {
  SCOPED_TRACE(test::seed_note());
  Random random(22);
  Call call(lanes());
  call.fill(random);
  const auto before = call.h;
  auto expected = call.expected();
  for (uint32_t changed = 0; changed < lanes(); ++changed) {
    call.h = before;
    call.m[changed][random.below(64)] ^= static_cast<uint8_t>(1u << random.below(8));
    expected[changed] = reference::g(call.n[changed], call.h[changed], call.m[changed]);
    call.run(row());
    ASSERT_EQ(call.h, expected) << "lane " << changed;
  }
}

// Every byte value at every place of the state, spread over lanes and calls.
TEST_P(StreebogLanes, EveryByteAtEveryPlace) {
  uint32_t lane = 0;
  Call call(lanes());
  for (int place = 0; place < 64; ++place)
    for (int value = 0; value < 256; ++value) {
      call.h[lane].fill(0);
      call.n[lane].fill(0);
      call.m[lane].fill(0);
      (value & 1 ? call.m : call.n)[lane][static_cast<size_t>(place)] = static_cast<uint8_t>(value);
      if (++lane < lanes()) continue;
      lane = 0;
      const bool compared = place % 8 == value / 32;  // the reference is slow
      const auto expected = compared ? call.expected() : call.h;
      call.run(row());
      if (compared) {
        ASSERT_EQ(call.h, expected) << "place " << place << ", values up to " << value;
      }
    }
}

TEST_P(StreebogLanes, AnyAlignmentAndNothingOutside) {
  SCOPED_TRACE(test::seed_note());
  Random random(23);
  Call call(lanes());
  call.fill(random);
  const auto expected = call.expected();
  const GuardedBuffer h(64), n(64), m(64);
  std::vector<uint8_t> room(lanes() * 65 + 64);
  for (uint32_t edge = 0; edge < lanes(); ++edge) {
    Call copy = call;
    for (uint32_t i = 0; i < lanes(); ++i) {
      copy.ph[i] = room.data() + 65 * i;  // all alignments
      copy.pn[i] = call.n[i].data();
      copy.pm[i] = call.m[i].data();
    }
    copy.ph[edge] = edge & 1 ? h.at_start() : h.at_end();
    copy.pn[edge] = edge & 2 ? n.at_start() : n.at_end();
    copy.pm[edge] = edge & 4 ? m.at_start() : m.at_end();
    std::memcpy(const_cast<uint8_t*>(copy.pn[edge]), call.n[edge].data(), 64);
    std::memcpy(const_cast<uint8_t*>(copy.pm[edge]), call.m[edge].data(), 64);
    for (uint32_t i = 0; i < lanes(); ++i) std::memcpy(copy.ph[i], call.h[i].data(), 64);
    copy.run(row());
    for (uint32_t i = 0; i < lanes(); ++i)
      ASSERT_EQ(std::memcmp(copy.ph[i], expected[i].data(), 64), 0) << "lane " << i << ", edge " << edge;
  }
}

// n and m shared by all lanes and read from a lane's own state; lanes without work share a scratch h.
TEST_P(StreebogLanes, SharedStrings) {
  SCOPED_TRACE(test::seed_note());
  Random random(24);
  Call call(lanes());
  call.fill(random);
  const Vector512 zero{};
  Vector512 scratch{};
  for (uint32_t i = 0; i < lanes(); ++i) {
    call.pn[i] = zero.data();
    call.pm[i] = call.n[i].data();
    if (i % 3 == 1) call.ph[i] = scratch.data();
  }
  const auto before = call.h;
  const auto n = call.n;
  call.run(row());
  for (uint32_t i = 0; i < lanes(); ++i)
    ASSERT_EQ(call.h[i], i % 3 == 1 ? before[i] : reference::g(zero, before[i], n[i])) << "lane " << i;
  EXPECT_EQ(call.n, n);
}

INSTANTIATE_TEST_SUITE_P(Rows, StreebogLanes, testing::ValuesIn(runnable_rows()),
                         [](const auto& info) { return std::string(info.param->info.variant); });

TEST(StreebogLanesRows, AreConstantTimeAndKnownByName) {
  for (const HashLanesKernel* row : hash_lanes_kernels()) {
    EXPECT_TRUE(row->info.constant_time) << row->info.variant;
    const HashLanesChoice choice = choose_hash_lanes_kernel(row->info.variant);
    if (runnable(row->info)) {
      EXPECT_EQ(choice.row, row);
      EXPECT_EQ(choose_hash_kernel(row->info.variant, false).row, choose_hash_kernel({}, false).row);
    } else {
      EXPECT_EQ(choice.status, Choice::cpu);
    }
  }
  EXPECT_EQ(choose_hash_lanes_kernel("no_such_row").status, Choice::unknown);
  EXPECT_EQ(choose_hash_lanes_kernel("portable").status, Choice::ok);
  EXPECT_EQ(choose_hash_lanes_kernel("portable").row, nullptr);
  EXPECT_NE(choose_hash_lanes_kernel({}).row, nullptr);
}

}  // namespace
}  // namespace vsh::streebog
