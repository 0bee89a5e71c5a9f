#include "modes/mac.hpp"

#include "modes/imit.hpp"
#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using test::Bytes;
using test::Keyed;

template <class M>
Bytes compute(M& mac, size_t n, const Bytes& message, test::Random* pieces = nullptr) {
  mac.reset();
  size_t at = 0;
  for (const size_t piece :
       pieces ? test::random_pieces(*pieces, message.size()) : std::vector<size_t>{message.size()}) {
    mac.update(message.data() + at, piece);
    at += piece;
  }
  Bytes tag(n);
  mac.final(tag.data());
  return tag;
}

TEST(Mac, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Algorithm a : test::kCiphers2015) {
    for (int i = 0; i < 8; ++i) {  // subkeys with and without reduction
      const Keyed k(a, random);
      modes::Mac mac(*k.engine);
      for (size_t len = 0; len <= 5 * k.n() + 1; ++len) {
        const Bytes message = random.bytes(len), tag = test::textbook::mac(k.e, k.n(), message);
        ASSERT_EQ(compute(mac, k.n(), message), tag) << algorithm_name(a) << ' ' << len;
        ASSERT_EQ(compute(mac, k.n(), message, &random), tag) << algorithm_name(a) << ' ' << len;
      }
    }
  }
}

TEST(Imit, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  const Keyed k(Algorithm::gost28147, random);
  modes::Imit imit(*k.round_keys.magma());
  for (size_t len = 0; len <= 50; ++len) {
    const Bytes message = random.bytes(len), tag = test::textbook::imit(k.rounds16, message);
    ASSERT_EQ(compute(imit, 8, message), tag) << len;
    ASSERT_EQ(compute(imit, 8, message, &random), tag) << len;
  }
  // Short messages are filled to two blocks; the result is unpredictable without the key, for an empty one
  // either.
  EXPECT_EQ(compute(imit, 8, {}), compute(imit, 8, Bytes(16, 0)));
  EXPECT_NE(compute(imit, 8, {}), Bytes(8, 0));
}

}  // namespace
}  // namespace vsh
