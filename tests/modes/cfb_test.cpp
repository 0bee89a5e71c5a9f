#include "modes/cfb.hpp"

#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using modes::Cfb;
using modes::Direction;
using test::Bytes;
using test::Keyed;

struct Case {
  size_t z, s;
};

std::vector<Case> cases(size_t n) {
  std::vector<Case> result;
  for (const size_t z : {1, 2, 3, 16})
    for (size_t s = 1; s <= n; ++s) result.push_back({z, s});
  return result;
}

void check_encryption(const Keyed& k, const Bytes& iv, size_t s, const Bytes& p, const Bytes& c, test::Random& random) {
  const Cfb encrypt(*k.engine, Direction::encrypt, iv.data(), iv.size(), s);
  ASSERT_EQ(test::process(encrypt, p), c);
  ASSERT_EQ(test::process_in_pieces(encrypt, p, random), c);
}

void check_decryption(const Keyed& k, const Bytes& iv, size_t s, const Bytes& p, const Bytes& c, test::Random& random) {
  const Cfb decrypt(*k.engine, Direction::decrypt, iv.data(), iv.size(), s);
  ASSERT_EQ(test::process(decrypt, c), p);
  ASSERT_EQ(test::process_in_pieces(decrypt, c, random), p);
  Bytes in_place = c;
  Cfb(decrypt).process(in_place.data(), in_place.data(), in_place.size());
  ASSERT_EQ(in_place, p);
}

TEST(Cfb, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Algorithm a : test::kCiphers) {
    const Keyed k(a, random);
    for (const auto [z, s] : cases(k.n())) {
      const Bytes iv = random.bytes(z * k.n());
      for (const size_t len : test::short_lengths(k.n())) {
        SCOPED_TRACE(std::string(algorithm_name(a)) + " z " + std::to_string(z) + " s " + std::to_string(s) + " len " +
                     std::to_string(len));
        const Bytes p = random.bytes(len);
        const Bytes c = test::textbook::cfb_encrypt(k.e, k.n(), iv, s, p);
        check_encryption(k, iv, s, p, c, random);
        check_decryption(k, iv, s, p, c, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Over several batches of the kernels and, with threads, several parts.
TEST(Cfb, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Algorithm a : test::kCiphers) {
    for (const auto [z, s, len] : {std::array<size_t, 3>{1, 8, 600'003},
                                   {3, 8, 600'000},
                                   {2, 3, 200'001},
                                   {16, 7, 300'000},
                                   {1, a == Algorithm::kuznyechik ? 16u : 8u, 1'000'000}}) {
      Bytes iv, p, c;
      for (const unsigned threads : {1u, 2u, 3u}) {
        test::Random same_key(3);
        const Keyed k(a, same_key, threads);
        if (iv.empty()) {
          iv = random.bytes(z * k.n());
          p = random.bytes(len);
          c = test::process(Cfb(*k.engine, Direction::encrypt, iv.data(), iv.size(), s), p);
        }
        SCOPED_TRACE(std::string(algorithm_name(a)) + " z " + std::to_string(z) + " s " + std::to_string(s) +
                     " threads " + std::to_string(threads));
        check_decryption(k, iv, s, p, c, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace vsh
