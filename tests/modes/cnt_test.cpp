#include "modes/cnt.hpp"

#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using modes::Cnt;
using test::Bytes;
using test::Keyed;

TEST(Cnt, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  const Keyed k(Algorithm::gost28147, random);
  for (const size_t len : test::short_lengths(8)) {
    const Bytes iv = random.bytes(8), p = random.bytes(len), c = test::textbook::cnt(k.e, iv, p);
    const Cnt cnt(*k.engine, iv.data(), 8);
    ASSERT_EQ(test::process(cnt, p), c) << len;
    ASSERT_EQ(test::process_in_pieces(cnt, p, random), c) << len;
  }
}

TEST(Cnt, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  Bytes iv, p, c;
  test::Random random(2);
  for (const unsigned threads : {1u, 2u, 3u}) {
    test::Random same_key(3);
    const Keyed k(Algorithm::gost28147, same_key, threads);
    if (iv.empty()) {
      iv = random.bytes(8);
      p = random.bytes(900'001);
      c = test::textbook::cnt(k.engine_e(), iv, p);
    }
    const Cnt cnt(*k.engine, iv.data(), 8);
    ASSERT_EQ(test::process(cnt, p), c) << threads;
    ASSERT_EQ(test::process_in_pieces(cnt, p, random), c) << threads;
  }
}

// Addition modulo 2^32 - 1 has two zeros. From any start, the extremes included, the closed form must equal the RFC's
// addition step by step. The IV that gives a wanted start is its decryption.
TEST(Cnt, EveryStartStepByStep) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(4);
  const Keyed k(Algorithm::gost28147, random);
  constexpr uint32_t kC1 = 0x01010104;
  std::vector<uint32_t> starts = {0, 1, 0xffffffff, 0xfffffffe, 0u - kC1, 0u - kC1 - 1, 0u - kC1 + 1, 0xffffffff - kC1};
  for (int i = 0; i < 200; ++i) starts.push_back(static_cast<uint32_t>(random()));
  const Bytes p = random.bytes(8 * 300);
  for (const uint32_t n4 : starts) {
    Bytes start(8);
    store_le32(start.data(), static_cast<uint32_t>(random()));
    store_le32(start.data() + 4, n4);
    const Bytes iv = k.d(start);
    const Cnt cnt(*k.engine, iv.data(), 8);
    ASSERT_EQ(test::process(cnt, p), test::textbook::cnt(k.engine_e(), iv, p)) << std::hex << n4;
  }
}

TEST(Cnt, SeekingIsSkipping) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(5);
  const Keyed k(Algorithm::gost28147, random);
  const Bytes iv = random.bytes(8), p = random.bytes(5003);
  Cnt cnt(*k.engine, iv.data(), 8);
  const Bytes c = test::process(cnt, p);
  for (int i = 0; i < 500; ++i) {
    const size_t from = random.below(p.size() + 1), len = random.below(p.size() - from + 1);
    Bytes out(len);
    cnt.seek(from);
    cnt.process(out.data(), p.data() + from, len);
    ASSERT_EQ(out, Bytes(c.begin() + static_cast<long>(from), c.begin() + static_cast<long>(from + len)));
  }
}

// Far positions: k steps at once against arithmetic modulo 2^32 and 2^32 - 1 in wider numbers.
TEST(Cnt, SeekingFar) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(6);
  const Keyed k(Algorithm::gost28147, random);
  std::vector<uint64_t> blocks = {0xfffffffd,
                                  0xfffffffe,
                                  0xffffffff,
                                  0x100000000,
                                  2 * uint64_t{0xffffffff} - 1,
                                  uint64_t{0xffffffff} * 0xffffff,
                                  (UINT64_MAX >> 3) - 1};
  for (int i = 0; i < 200; ++i) blocks.push_back(random() >> (3 + random.below(50)));
  for (const uint32_t n4 : {0u, 1u, 0xffffffffu, static_cast<uint32_t>(random())}) {
    Bytes start(8);
    const auto n3 = static_cast<uint32_t>(random());
    store_le32(start.data(), n3);
    store_le32(start.data() + 4, n4);
    Cnt cnt(*k.engine, k.d(start).data(), 8);
    for (const uint64_t block : blocks) {
      const uint64_t steps = block + 1;
      const uint64_t m = 0xffffffff;
      const auto wide = static_cast<unsigned __int128>(steps) * 0x01010104 + n4;
      const auto n4_then = static_cast<uint64_t>(wide % m);
      Bytes counter(8), gamma(8);
      store_le32(counter.data(), static_cast<uint32_t>(n3 + steps * 0x01010101));
      store_le32(counter.data() + 4,
                 static_cast<uint32_t>(n4_then ? n4_then : m));  // at least one step: never 0
      cnt.seek(8 * block);
      cnt.process(gamma.data(), gamma.data(), 8);
      ASSERT_EQ(gamma, k.e(counter)) << block;
    }
  }
}

}  // namespace
}  // namespace vsh
