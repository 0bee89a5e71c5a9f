// MGM against its clauses over the reference ciphers, and the examples of RFC 9058.
#include "modes/mgm.hpp"

#include <algorithm>
#include "modes/mgm_message.hpp"

#include "gf2n/reference.hpp"
#include "modes/support/modes.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using modes::Mgm;
using test::Bytes;
using test::Keyed;

Bytes slice(const Bytes& x, size_t begin, size_t end) {
  return Bytes(x.begin() + static_cast<ptrdiff_t>(begin), x.begin() + static_cast<ptrdiff_t>(end));
}
Bytes joined(Bytes x, const Bytes& y) {
  x.insert(x.end(), y.begin(), y.end());
  return x;
}

// ---- RFC 9058 clause 4.1, as it reads -------------------------------------------------------------------------------

Bytes increment(Bytes x) {
  for (size_t i = x.size(); i-- > 0;)
    if (++x[i]) break;
  return x;
}
Bytes incr_l(const Bytes& a) {
  const size_t n = a.size();
  return joined(increment(slice(a, 0, n / 2)), slice(a, n / 2, n));
}
Bytes incr_r(const Bytes& a) {
  const size_t n = a.size();
  return joined(slice(a, 0, n / 2), increment(slice(a, n / 2, n)));
}
Bytes len_half(size_t bytes, size_t n) {
  Bytes half(n / 2);
  for (size_t i = 0; i < n / 2 && i < 8; ++i) half[n / 2 - 1 - i] = static_cast<uint8_t>(uint64_t{bytes} * 8 >> 8 * i);
  return half;
}

struct Sealed {
  Bytes c, tag;
  bool operator==(const Sealed&) const = default;
};

Sealed mgm_encrypt(const test::textbook::BlockFunction& e, const Bytes& icn, const Bytes& a, const Bytes& p) {
  const size_t n = icn.size();
  Sealed result;
  Bytes y = e(icn);
  for (size_t i = 0; i < p.size(); i += n, y = incr_r(y)) {
    const Bytes gamma = e(y);
    for (size_t j = 0; j < n && i + j < p.size(); ++j) result.c.push_back(p[i + j] ^ gamma[j]);
  }
  Bytes first = icn;
  first[0] |= 0x80;
  Bytes z = e(first), sum(n);
  const auto absorb = [&](const Bytes& block) {
    const Bytes product = gf2n::reference::multiply(e(z), block);
    for (size_t j = 0; j < n; ++j) sum[j] ^= product[j];
    z = incr_l(z);
  };
  for (const Bytes* text : std::initializer_list<const Bytes*>{&a, &result.c}) {
    for (size_t i = 0; i < text->size(); i += n) {
      Bytes block = slice(*text, i, std::min(i + n, text->size()));
      block.resize(n);
      absorb(block);
    }
  }
  absorb(joined(len_half(a.size(), n), len_half(p.size(), n)));
  result.tag = e(sum);
  return result;
}

// ---- The class, in its ways of use ---------------------------------------------------------------------------------

Sealed seal(Mgm& mgm, const Bytes& icn, const Bytes& a, const Bytes& p) {
  Sealed s{Bytes(p.size()), Bytes(icn.size())};
  mgm.seal(s.c.data(), s.tag.data(), icn.data(), a.data(), a.size(), p.data(), p.size());
  return s;
}

using Process = void (*)(Mgm&, uint8_t*, const uint8_t*, size_t);

Sealed in_pieces(Mgm& mgm, const Bytes& icn, const Bytes& a, const Bytes& text, test::Random& random, Process process) {
  Sealed s{text, Bytes(icn.size())};
  mgm.start(icn.data());
  size_t at = 0;
  for (const size_t piece : test::random_pieces(random, a.size())) {
    mgm.add_data(a.data() + at, piece);
    at += piece;
  }
  at = 0;
  const bool in_place = random.below(2);
  for (const size_t piece : test::random_pieces(random, text.size())) {
    process(mgm, s.c.data() + at, (in_place ? s.c : text).data() + at, piece);
    at += piece;
  }
  mgm.final(s.tag.data());
  return s;
}

void expect_all_ways(Mgm& mgm, const Bytes& icn, const Bytes& a, const Bytes& p, const Sealed& expected,
                     test::Random& random) {
  ASSERT_EQ(seal(mgm, icn, a, p), expected);
  ASSERT_EQ(in_pieces(mgm, icn, a, p, random,
                      [](Mgm& m, uint8_t* out, const uint8_t* in, size_t len) { m.encrypt(out, in, len); }),
            expected);
  ASSERT_EQ(in_pieces(mgm, icn, a, expected.c, random,
                      [](Mgm& m, uint8_t* out, const uint8_t* in, size_t len) { m.decrypt(out, in, len); }),
            (Sealed{p, expected.tag}));
  ASSERT_EQ(in_pieces(mgm, icn, a, expected.c, random,
                      [](Mgm& m, uint8_t*, const uint8_t* in, size_t len) { m.authenticate(in, len); }),
            expected);
  Bytes opened = expected.c;
  const auto open = [&](const Bytes& tag, size_t tag_len) {
    return mgm.open(opened.data(), tag.data(), tag_len, icn.data(), a.data(), a.size(), opened.data(), opened.size());
  };
  Bytes wrong = expected.tag;
  wrong[3] ^= 0x10;
  ASSERT_FALSE(open(wrong, wrong.size()));
  ASSERT_FALSE(open(wrong, 4));
  ASSERT_EQ(opened, expected.c) << "written before it was verified";
  ASSERT_TRUE(open(expected.tag, expected.tag.size()));
  ASSERT_EQ(opened, p);
}

const ProductKernel& products() { return *choose_product_kernel().row; }

Bytes random_nonce(test::Random& random, size_t n) {
  Bytes icn = random.bytes(n);
  icn[0] &= 0x7f;
  return icn;
}

TEST(Mgm, RfcExamples) {
  test::Random random(1);
  for (const Algorithm a : test::kCiphers2015) {
    for (const auto& r : vec::read("mgm.vec", algorithm_name(a), {"Key", "Nonce", "Aad", "In", "Out", "Tag"})) {
      SCOPED_TRACE(r.where());
      const Keyed k(a, r.bytes("Key"));
      Mgm mgm(*k.engine, products());
      expect_all_ways(mgm, r.bytes("Nonce"), r.bytes("Aad"), r.bytes("In"), {r.bytes("Out"), r.bytes("Tag")}, random);
    }
  }
}

TEST(Mgm, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Algorithm a : test::kCiphers2015) {
    const Keyed k(a, random);
    Mgm mgm(*k.engine, products());
    const size_t n = k.n();
    for (size_t len = 0; len <= 3 * n + 1; ++len) {
      for (const size_t data_len : {size_t{0}, size_t{1}, n - 1, n, n + 1, 2 * n, 3 * n - len % n}) {
        if (len + data_len == 0) continue;
        const Bytes icn = random_nonce(random, n), data = random.bytes(data_len), p = random.bytes(len);
        SCOPED_TRACE(std::string(algorithm_name(a)) + " data " + std::to_string(data_len) + " text " +
                     std::to_string(len));
        ASSERT_NO_FATAL_FAILURE(expect_all_ways(mgm, icn, data, p, mgm_encrypt(k.e, icn, data, p), random));
      }
    }
  }
}

// Around the limit of one call of the cipher, over several batches, and with threads.
TEST(Mgm, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(3);
  for (const Algorithm a : test::kCiphers2015) {
    const size_t fit = modes::kShortMessage - modes::kReadBehindBlocks;
    const size_t n = a == Algorithm::magma ? 8 : 16;
    // The last that fit have a multiplier more than twice the blocks of text.
    const size_t scratch = modes::Scratch::kSize;
    const std::pair<size_t, size_t> lengths[] = {
        {0, fit / 2 - 16}, {0, fit / 2 - 15}, {0, fit / 2 - 8},     {0, fit / 2 - 7},     {37, fit / 2 - 64},
        {fit - 16, 0},     {fit, 0},          {0, scratch / 2 - 8}, {0, scratch / 2 - 7}, {37, scratch / 2 - 64},
        {scratch, 0},      {100'000, 5},      {13, 600'001}};
    for (const auto& [data_len, len] : lengths) {
      const Bytes data = random.bytes(data_len), p = random.bytes(len), icn = random_nonce(random, n);
      Sealed expected;
      for (const unsigned threads : {1u, 3u}) {
        test::Random same_key(4);
        const Keyed k(a, same_key, threads);
        if (threads == 1) expected = mgm_encrypt(k.engine_e(), icn, data, p);
        Mgm mgm(*k.engine, products());
        SCOPED_TRACE(std::string(algorithm_name(a)) + " threads " + std::to_string(threads) + " text " +
                     std::to_string(len));
        ASSERT_NO_FATAL_FAILURE(expect_all_ways(mgm, icn, data, p, expected, random));
      }
    }
  }
}

// incr_r and incr_l count modulo 2^(n/2): an overflowing half does not affect the other half. Nonces are computed from
// the counters that they lead to.
TEST(Mgm, CountersWrap) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(5);
  for (const Algorithm a : test::kCiphers2015) {
    const Keyed k(a, random);
    const size_t n = k.n();
    Mgm mgm(*k.engine, products());
    for (const bool left : {false, true}) {
      for (const uint8_t last : {0xff, 0xfe, 0xc0, 0x01}) {
        Bytes icn, counter;
        do {  // half of all counters come from a nonce of that half of the blocks
          counter = random.bytes(n);
          const size_t begin = left ? 0 : n / 2;
          for (size_t i = begin; i < begin + n / 2; ++i) counter[i] = 0xff;
          counter[begin + n / 2 - 1] = last;
          icn = k.d(counter);
        } while ((icn[0] >> 7 != 0) != left);
        icn[0] &= 0x7f;
        for (const size_t len : {n, 70 * n + 3, 5000 * n}) {
          const Bytes data = random.bytes(len / 3), p = random.bytes(len);
          ASSERT_NO_FATAL_FAILURE(expect_all_ways(mgm, icn, data, p, mgm_encrypt(k.engine_e(), icn, data, p), random));
        }
      }
    }
  }
}

}  // namespace
}  // namespace vsh
