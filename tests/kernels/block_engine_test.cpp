// Engines over ladders of real rows with synthetic costs: the result is the reference's for any shares.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/block_engine.hpp"
#include "core/bytes.hpp"
#include "kuznyechik/reference.hpp"
#include "magma/reference.hpp"
#include "support/subjects.hpp"

namespace vsh {
namespace {

using Bytes = std::vector<uint8_t>;

struct Cipher {
  Cipher(Algorithm a, const test::Key& key) : algorithm(a), size(block_size(a)), round_keys(a, key.data()) {
    if (algorithm == Algorithm::kuznyechik) {
      kuznyechik_reference = kuznyechik::reference::key_schedule(key);
    } else {
      magma_reference = magma::reference::key_schedule_magma(key);
    }
  }
  void encrypt(uint8_t* block) const {
    if (algorithm == Algorithm::kuznyechik) {
      kuznyechik::reference::Block b;
      std::memcpy(b.data(), block, size);
      b = kuznyechik::reference::E(kuznyechik_reference, b);
      std::memcpy(block, b.data(), size);
    } else {
      store_be64(block, magma::reference::E(round_keys.magma()->rows, magma_reference, load_be64(block)));
    }
  }
  std::vector<const BlockKernel*> rows() const {
    std::vector<const BlockKernel*> found;
    for (const BlockKernel* row : block_kernels(algorithm))
      if (runnable(row->info)) found.push_back(row);
    return found;
  }

  Algorithm algorithm;
  size_t size;
  keys::CipherKey round_keys;
  std::array<kuznyechik::reference::Block, 10> kuznyechik_reference;
  std::array<uint32_t, 32> magma_reference;
};

class Ladders : public testing::TestWithParam<Algorithm> {};

TEST_P(Ladders, EveryLadderAndEveryNumberOfBlocksAgreesWithTheReference) {
  test::Random random;
  SCOPED_TRACE(test::seed_note());
  const Cipher cipher(GetParam(), test::random_key(random));
  const auto rows = cipher.rows();
  size_t most = 0;
  for (const BlockKernel* row : rows) most = std::max<size_t>(most, 3 * row->info.lanes + 1);
  const size_t size = cipher.size;
  const Bytes plain = random.bytes(most * size);
  Bytes counter = random.bytes(size);
  std::fill(counter.begin() + 1, counter.end() - 1, uint8_t{0xFF});  // carries all the way, in the middle of a request
  Bytes expected = plain, gamma(most * size);
  for (size_t i = 0; i < most; ++i) {
    cipher.encrypt(&expected[i * size]);
    std::memcpy(&gamma[i * size], counter.data(), size);
    add_big_endian(&gamma[i * size], size, i);
    cipher.encrypt(&gamma[i * size]);
    for (size_t b = 0; b < size; ++b) gamma[i * size + b] ^= plain[i * size + b];
  }
  size_t rungs = 0;
  for (int round = 0; round < 6; ++round) {
    // Wider rows cost more, roughly, so that there are many rungs.
    std::vector<Candidate> candidates;
    for (const BlockKernel* row : rows)
      candidates.push_back({row, static_cast<uint32_t>(100 + 2 * row->info.lanes + random.below(100))});
    const Ladder ladder(round % 2 ? candidates[random.below(rows.size())] : cheapest_by_block(candidates), candidates);
    rungs = std::max(rungs, ladder.size());
    const BlockEngine engine({Choice::ok, ladder}, cipher.round_keys, 1);
    Bytes out(most * size);
    for (size_t n = 0; n <= most; n += n < 70 ? 1 : 1 + random.below(9)) {
      engine.encrypt(out.data(), plain.data(), n);
      ASSERT_EQ(0, std::memcmp(out.data(), expected.data(), n * size)) << n << " blocks";
      engine.decrypt(out.data(), out.data(), n);
      ASSERT_EQ(0, std::memcmp(out.data(), plain.data(), n * size)) << n << " blocks";
      engine.ctr(out.data(), plain.data(), n, counter.data());
      ASSERT_EQ(0, std::memcmp(out.data(), gamma.data(), n * size)) << n << " blocks";
    }
    engine.encrypt_one(out.data(), plain.data());
    EXPECT_EQ(0, std::memcmp(out.data(), expected.data(), size));
    engine.decrypt_one(out.data(), out.data());
    EXPECT_EQ(0, std::memcmp(out.data(), plain.data(), size));
  }
  EXPECT_GE(rungs, 2u);
}

// Rows with one layout are interchangeable: an engine prepares for the first and uses it with the others.
TEST_P(Ladders, RowsOfOneLayoutPrepareTheSameBytes) {
  test::Random random;
  SCOPED_TRACE(test::seed_note());
  const Cipher cipher(GetParam(), test::random_key(random));
  const auto rows = cipher.rows();
  for (const BlockKernel* a : rows)
    for (const BlockKernel* b : rows) {
      if (!a->layout || !b->layout || std::string_view(a->layout) != b->layout) continue;
      ASSERT_EQ(a->schedule_size, b->schedule_size);
      alignas(kScheduleAlignment) static uint8_t storage[2][1 << 16];
      ASSERT_LE(a->schedule_size, sizeof storage[0]);
      std::memset(storage, 0, sizeof storage);  // padding between members
      a->prepare(storage[0], RoundKeysView(cipher.round_keys).for_row(*a));
      b->prepare(storage[1], RoundKeysView(cipher.round_keys).for_row(*b));
      EXPECT_EQ(0, std::memcmp(storage[0], storage[1], a->schedule_size)) << a->info.variant << ' ' << b->info.variant;
    }
}

TEST_P(Ladders, RefuseRoundKeysOfAnotherFamily) {
  const Algorithm other = GetParam() == Algorithm::magma ? Algorithm::kuznyechik : Algorithm::gost28147;
  const keys::CipherKey wrong(other, test::Key{}.data());
  EXPECT_EQ(wrong.algorithm(), other);
  EXPECT_THROW(BlockEngine(choose_block_kernel(GetParam(), {}, false), wrong, 1), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Ladders, testing::Values(Algorithm::kuznyechik, Algorithm::magma),
                         [](const testing::TestParamInfo<Algorithm>& info) { return algorithm_name(info.param); });

}  // namespace
}  // namespace vsh
