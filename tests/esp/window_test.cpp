// The anti-replay window against a set of the numbers seen, and the upper half of extended numbers against the
// pseudo-code of RFC 4303 A2.3.
#include "esp/window.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random.hpp"

namespace vsh::test {
namespace {

using esp::Window;

TEST(EspWindow, EqualsASetOfNumbers) {
  for (const unsigned size : {64u, 128u, 1024u, 4096u}) {
    for (const uint64_t start : {uint64_t{0}, uint64_t{70}, (uint64_t{1} << 32) - 100, UINT64_MAX - 20000}) {
      Random random(size + start);
      Window window(size, start);
      std::set<uint64_t> seen;
      uint64_t top = start;
      for (int i = 0; i < 20000 && top < UINT64_MAX - 3 * size; ++i) {
        uint64_t number = 0;
        switch (random.below(4)) {
          case 0: number = top + 1 + random.below(i % 100 == 0 ? 2 * size : 3); break;
          case 1: number = top - std::min<uint64_t>(top, random.below(size + 3)); break;
          case 2: number = top - std::min<uint64_t>(top, size - 2 + random.below(4)); break;  // the left edge
          default: number = top; break;
        }
        const bool expected = number <= start || number + size <= top || seen.count(number) != 0;
        ASSERT_EQ(window.seen(number), expected) << size << " " << start << " " << number << " " << top;
        if (expected || random.below(3) == 0) continue;
        window.mark(number);
        seen.insert(number);
        top = std::max(top, number);
        ASSERT_EQ(window.top(), top);
        ASSERT_TRUE(window.seen(number));
      }
    }
  }
}

TEST(EspWindow, JumpsFurtherThanItself) {
  for (const unsigned size : {64u, 4096u}) {
    Window window(size, 0);
    for (uint64_t number = 1; number <= size; ++number) window.mark(number);
    for (const uint64_t jump : {uint64_t{size} - 1, uint64_t{size}, uint64_t{size} + 1, uint64_t{1} << 40}) {
      const uint64_t old = window.top();
      window.mark(old + jump);
      EXPECT_TRUE(window.seen(old + jump));
      for (uint64_t back = 1; back < size; ++back)
        EXPECT_EQ(window.seen(old + jump - back), old + jump - back <= old) << jump << " " << back;
      EXPECT_TRUE(window.seen(old + jump - size));
    }
  }
}

// RFC 4303 A2.3; Seqh of the pseudo-code, or nothing where it is -1.
uint64_t pseudo_code(uint64_t t, uint32_t w, uint32_t seql) {
  const auto tl = static_cast<uint32_t>(t);
  const uint64_t th = t >> 32;
  uint64_t seqh = 0;
  if (tl >= w - 1) seqh = seql >= static_cast<uint32_t>(tl - w + 1) ? th : th + 1;
  else seqh = seql >= static_cast<uint32_t>(tl - w + 1) ? th - 1 : th;
  return seqh << 32 | seql;
}

TEST(EspWindow, FindsTheUpperHalf) {
  for (const unsigned size : {64u, 4096u})
    for (const uint64_t high : {uint64_t{0}, uint64_t{1}, uint64_t{7}, uint64_t{0xfffffffe}})
      for (const uint64_t low : {uint64_t{0}, uint64_t{1}, uint64_t{size} - 2, uint64_t{size} - 1, uint64_t{size},
                                 uint64_t{0x80000000}, uint64_t{0xffffffff}}) {
        const uint64_t top = high << 32 | low;
        const Window window(size, top);
        for (const uint64_t back : {uint64_t{0}, uint64_t{1}, uint64_t{size} - 1})
          EXPECT_EQ(window.whole(static_cast<uint32_t>(top - back)),
                    back <= top ? top - back : (top - back) & UINT32_MAX)
              << top << " " << back;
        for (const uint64_t ahead : {uint64_t{1}, uint64_t{1000}, (uint64_t{1} << 32) - size}) {
          if (high == 0 && low < size && top + ahead >= (uint64_t{1} << 32) - size) continue;  // below the first 2^32
          EXPECT_EQ(window.whole(static_cast<uint32_t>(top + ahead)), top + ahead) << top << " " << ahead;
        }
        Random random(top);
        for (int i = 0; i < 1000; ++i) {
          const auto seql = static_cast<uint32_t>(random());
          const uint64_t expected = pseudo_code(top, size, seql);
          if (high == 0 && expected >> 63) EXPECT_EQ(window.whole(seql), seql);  // Seqh is -1 there
          else EXPECT_EQ(window.whole(seql), expected);
        }
      }
}

}  // namespace
}  // namespace vsh::test
