#include "modes/ofb.hpp"

#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using modes::Ofb;
using test::Bytes;
using test::Keyed;

TEST(Ofb, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Algorithm a : test::kCiphers2015) {
    const Keyed k(a, random);
    const size_t n = k.n();
    for (const size_t z : {1, 2, 3, 16}) {
      for (const size_t s : {size_t{1}, size_t{3}, n - 1, n}) {
        const Bytes iv = random.bytes(z * n);
        for (const size_t len : test::short_lengths(n)) {
          const Bytes p = random.bytes(len), c = test::textbook::ofb(k.e, n, iv, s, p);
          const Ofb ofb(*k.engine, iv.data(), iv.size(), s);
          ASSERT_EQ(test::process(ofb, p), c) << algorithm_name(a) << " z " << z << " s " << s << " len " << len;
          ASSERT_EQ(test::process_in_pieces(ofb, p, random), c);
        }
      }
    }
  }
}

TEST(Ofb, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Algorithm a : test::kCiphers2015) {
    const Keyed k(a, random);
    for (const size_t z : {1, 2, 3, 7, 16}) {
      for (const size_t s : {size_t{5}, k.n()}) {
        const Bytes iv = random.bytes(z * k.n()), p = random.bytes(20'000);
        const Bytes c = test::textbook::ofb(k.engine_e(), k.n(), iv, s, p);
        const Ofb ofb(*k.engine, iv.data(), iv.size(), s);
        ASSERT_EQ(test::process(ofb, p), c) << algorithm_name(a) << " z " << z << " s " << s;
        ASSERT_EQ(test::process_in_pieces(ofb, p, random), c);
      }
    }
  }
}

}  // namespace
}  // namespace vsh
