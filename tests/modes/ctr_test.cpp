#include "modes/ctr.hpp"

#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using modes::Ctr;
using test::Bytes;
using test::Keyed;

TEST(Ctr, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Algorithm a : test::kCiphers2015) {
    const Keyed k(a, random);
    const size_t n = k.n();
    for (size_t s = 1; s <= n; ++s) {
      const Bytes iv = random.bytes(n / 2);
      for (const size_t len : test::short_lengths(n)) {
        const Bytes p = random.bytes(len);
        const Bytes c = test::textbook::ctr(k.e, n, iv, s, p);
        const Ctr ctr(*k.engine, iv.data(), s);
        ASSERT_EQ(test::process(ctr, p), c) << algorithm_name(a) << " s " << s << " len " << len;
        ASSERT_EQ(test::process_in_pieces(ctr, p, random), c) << algorithm_name(a) << " s " << s << " len " << len;
      }
    }
  }
}

// Over several batches of the kernels and, with threads, several parts.
TEST(Ctr, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Algorithm a : test::kCiphers2015) {
    for (const size_t s : {size_t{1}, size_t{5}, size_t{8}, a == Algorithm::kuznyechik ? size_t{16} : size_t{7}}) {
      Bytes iv, p, c;
      for (const unsigned threads : {1u, 2u, 3u}) {
        test::Random same_key(3);
        const Keyed k(a, same_key, threads);
        if (iv.empty()) {
          iv = random.bytes(k.n() / 2);
          p = random.bytes(s * 70000 + 3);
          c = test::textbook::ctr(k.engine_e(), k.n(), iv, s, p);
        }
        const Ctr ctr(*k.engine, iv.data(), s);
        ASSERT_EQ(test::process(ctr, p), c) << algorithm_name(a) << " s " << s << " threads " << threads;
        ASSERT_EQ(test::process_in_pieces(ctr, p, random), c) << algorithm_name(a) << " s " << s;
      }
    }
  }
}

TEST(Ctr, SeekingIsSkipping) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(4);
  for (const Algorithm a : test::kCiphers2015) {
    const Keyed k(a, random);
    for (const size_t s : {size_t{3}, k.n()}) {
      const Bytes iv = random.bytes(k.n() / 2), p = random.bytes(50 * s + 1);
      Ctr ctr(*k.engine, iv.data(), s);
      const Bytes c = test::process(ctr, p);
      for (int i = 0; i < 300; ++i) {
        const size_t from = random.below(p.size() + 1), len = random.below(p.size() - from + 1);
        Bytes out(len);
        ctr.seek(from);
        ctr.process(out.data(), p.data() + from, len);
        ASSERT_EQ(out, Bytes(c.begin() + static_cast<long>(from), c.begin() + static_cast<long>(from + len)));
      }
    }
  }
}

// The counter is a number modulo 2^n: it carries from the half that starts at zero, through the IV, past the top.
TEST(Ctr, CounterCarriesOverTheWholeBlock) {
  test::Random random(5);
  const Keyed k(Algorithm::magma, random);
  const Bytes zeros(64, 0);
  for (const Bytes& iv : {Bytes{0xff, 0xff, 0xff, 0xff}, Bytes{0x01, 0x02, 0x03, 0xff}}) {
    Ctr ctr(*k.engine, iv.data(), 8);
    ctr.seek((uint64_t{1} << 35) - 16);  // two blocks before the low half overflows
    Bytes gamma(zeros.size());
    ctr.process(gamma.data(), zeros.data(), zeros.size());
    Bytes counter = test::textbook::join(iv, {0xff, 0xff, 0xff, 0xfe}), expected;
    for (int i = 0; i < 8; ++i) {
      expected = test::textbook::join(expected, k.e(counter));
      counter = test::textbook::increment(counter);
    }
    EXPECT_EQ(gamma, expected);
  }
}

TEST(Ctr, KnowsWhatIsLeft) {
  test::Random random(6);
  const Keyed k(Algorithm::kuznyechik, random);
  Ctr ctr(*k.engine, random.bytes(8).data(), 16);
  EXPECT_EQ(ctr.bytes_left(), UINT64_MAX);
  ctr.seek(UINT64_MAX - 40);
  EXPECT_EQ(ctr.bytes_left(), 40u);
  Bytes buffer(40);
  ctr.process(buffer.data(), buffer.data(), buffer.size());
  EXPECT_EQ(ctr.bytes_left(), 0u);
}

}  // namespace
}  // namespace vsh
