#include "modes/cbc.hpp"

#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using modes::Cbc;
using test::Bytes;
using test::Keyed;

Bytes encrypt(Cbc cbc, const Bytes& p, size_t n, test::Random* pieces = nullptr) {
  Bytes c(p.size());
  size_t at = 0;
  const size_t blocks = p.size() / n;
  for (const size_t piece : pieces ? test::random_pieces(*pieces, blocks) : std::vector<size_t>{blocks}) {
    cbc.encrypt(c.data() + at, p.data() + at, piece);
    at += piece * n;
  }
  return c;
}

Bytes decrypt(Cbc cbc, const Bytes& c, size_t n, test::Random* pieces, bool in_place) {
  Bytes p = in_place ? c : Bytes(c.size());
  size_t at = 0;
  const size_t blocks = p.size() / n;
  for (const size_t piece : pieces ? test::random_pieces(*pieces, blocks) : std::vector<size_t>{blocks}) {
    cbc.decrypt(p.data() + at, (in_place ? p.data() : c.data()) + at, piece);
    at += piece * n;
  }
  return p;
}

void check_decryption(const Keyed& k, const Bytes& iv, const Bytes& p, const Bytes& c, test::Random& random) {
  const Cbc cbc(*k.engine, iv.data(), iv.size());
  for (const bool in_place : {false, true}) {
    ASSERT_EQ(decrypt(cbc, c, k.n(), nullptr, in_place), p);
    ASSERT_EQ(decrypt(cbc, c, k.n(), &random, in_place), p);
  }
  // skip, then decrypt: the same as decrypting all.
  const size_t blocks = c.size() / k.n(), skipped = random.below(blocks + 1), at = skipped * k.n();
  Cbc ahead = cbc;
  ahead.skip(c.data(), skipped);
  Bytes rest(c.size() - at);
  ahead.decrypt(rest.data(), c.data() + at, blocks - skipped);
  ASSERT_EQ(rest, Bytes(p.begin() + static_cast<long>(at), p.end()));
}

void check_encryption(const Keyed& k, const Bytes& iv, const Bytes& p, const Bytes& c, test::Random& random) {
  const Cbc cbc(*k.engine, iv.data(), iv.size());
  ASSERT_EQ(encrypt(cbc, p, k.n()), c);
  ASSERT_EQ(encrypt(cbc, p, k.n(), &random), c);
  Bytes in_place = p;
  Cbc(cbc).encrypt(in_place.data(), in_place.data(), p.size() / k.n());
  ASSERT_EQ(in_place, c);
}

TEST(Cbc, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Algorithm a : test::kCiphers) {
    const Keyed k(a, random);
    for (const size_t z : {1, 2, 3, 7, 16}) {
      for (size_t blocks = 0; blocks < 40; ++blocks) {
        SCOPED_TRACE(std::string(algorithm_name(a)) + " z " + std::to_string(z) + " blocks " + std::to_string(blocks));
        const Bytes iv = random.bytes(z * k.n()), p = random.bytes(blocks * k.n());
        const Bytes c = test::textbook::cbc_encrypt(k.e, k.n(), iv, p);
        ASSERT_EQ(test::textbook::cbc_decrypt(k.d, k.n(), iv, c), p);
        check_encryption(k, iv, p, c, random);
        check_decryption(k, iv, p, c, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Over several batches of the kernels and, with threads, several parts.
TEST(Cbc, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Algorithm a : test::kCiphers) {
    for (const size_t z : {1, 3, 16}) {
      for (const size_t len : {size_t{100'000}, size_t{300'000}, size_t{1'000'000}}) {
        Bytes iv, p, c;
        for (const unsigned threads : {1u, 2u, 3u}) {
          test::Random same_key(3);
          const Keyed k(a, same_key, threads);
          if (iv.empty()) {
            iv = random.bytes(z * k.n());
            p = random.bytes(len / k.n() * k.n());
            c = encrypt(Cbc(*k.engine, iv.data(), iv.size()), p, k.n());
          }
          SCOPED_TRACE(std::string(algorithm_name(a)) + " z " + std::to_string(z) + " threads " +
                       std::to_string(threads));
          check_decryption(k, iv, p, c, random);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vsh
