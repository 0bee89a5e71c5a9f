// Every block-cipher kernel row against the reference, which is written like the standard and is itself checked by the
// standard's examples (block_vectors_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/block_engine.hpp"
#include "core/bytes.hpp"
#include "core/registry.hpp"
#include "kuznyechik/reference.hpp"
#include "kuznyechik/round_keys.hpp"
#include "magma/round_keys.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/schedule.hpp"
#include "support/skipped_rows.hpp"
#include "support/subjects.hpp"

namespace vsh {
namespace {

using test::GuardedBuffer;
using test::Key;
using test::make_subject;
using test::Random;
using test::random_key;
using test::Schedule;
using test::Subject;
using Bytes = std::vector<uint8_t>;

struct Case {
  const BlockKernel* row;
  std::string cipher;
  std::string name() const { return cipher + "_" + row->info.variant; }
};

// Calls f(algorithm, name) for every cipher; GOST 28147-89 is one for each set of S-boxes.
template <class F>
void for_ciphers(F f) {
  f(Algorithm::kuznyechik, "kuznyechik");
  f(Algorithm::magma, "magma");
  for (size_t i = 0; i < tables::kNumMagmaSboxes; ++i) f(Algorithm::gost28147, "gost28147_set" + std::to_string(i));
  f(Algorithm::gost28147, "gost28147_custom");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for_ciphers([&](Algorithm a, const std::string& cipher) {
    for (const BlockKernel* row : block_kernels(a))
      if (test::runs_here(row->info)) all.push_back({row, cipher});
  });
  return all;
}
// Those whose row has an optional member of the contract.
std::vector<Case> cases_with(auto member) {
  std::vector<Case> some = cases();
  std::erase_if(some, [&](const Case& c) { return !(c.row->*member); });
  return some;
}
std::vector<Case> cases_of_cnt() {
  std::vector<Case> some = cases_with(&BlockKernel::cnt);
  std::erase_if(some, [](const Case& c) { return !c.cipher.starts_with("gost28147"); });
  return some;
}
std::vector<Case> cases_of_engines() {
  std::vector<Case> some = cases();
  std::erase_if(some, [](const Case& c) { return c.cipher.starts_with("gost28147_set"); });
  return some;
}

class BlockKernels : public testing::TestWithParam<Case> {
 protected:
  BlockKernels()
      : row(*GetParam().row),
        size(row.block_size),
        most(4 * row.info.lanes + 3),
        random(std::hash<std::string>{}(GetParam().name())),
        subject(make_subject(GetParam().cipher, random)),
        schedule(row, subject->round_keys()),
        trace(__FILE__, __LINE__, test::seed_note()) {
    plain = random.bytes(most * size);
    cipher = plain;
    for (size_t i = 0; i < most; ++i) subject->encrypt(&cipher[i * size]);
  }

  // Adds 1 to the big-endian number in bytes `first` to `end` - 1.
  static void count(Bytes& counter, size_t first, size_t end) {
    for (size_t b = end; b-- > first && ++counter[b] == 0;) {
    }
  }

  // function, a fused mode, on several numbers of blocks: plain ^ E(first), E(next(first)) and so on.
  template <class Function, class Next>
  void check_gamma(Function function, const Bytes& start, const Bytes& first, Next next) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, row.info.lanes + size_t{1}, most}) {
      const Bytes text(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(n * size));
      Bytes expected = text, counter = first;
      for (size_t i = 0; i < n; ++i, next(counter)) {
        Bytes gamma = counter;
        subject->encrypt(gamma.data());
        for (size_t b = 0; b < size; ++b) expected[i * size + b] ^= gamma[b];
      }
      Bytes out(n * size + 1, 0xA5), in_place = text;
      function(schedule, out.data(), text.data(), n, start.data());
      function(schedule, in_place.data(), in_place.data(), n, start.data());
      ASSERT_EQ(0xA5, out[n * size]) << "written beyond " << n << " blocks";
      out.pop_back();
      ASSERT_EQ(expected, out) << n << " blocks";
      ASSERT_EQ(expected, in_place) << n << " blocks";
    }
  }

  const BlockKernel& row;
  size_t size, most;
  Random random;
  std::unique_ptr<Subject> subject;
  Schedule schedule;
  testing::ScopedTrace trace;
  Bytes plain, cipher;
};

TEST_P(BlockKernels, EveryNumberOfBlocksAgreesWithTheReferenceAndWritesNothingElse) {
  const Bytes untouched(most * size + 64, 0xA5);
  Bytes out;
  for (size_t n = 0; n <= most; ++n) {
    const size_t len = n * size;
    for (const bool encrypt : {true, false}) {
      out = untouched;
      (encrypt ? row.encrypt : row.decrypt)(schedule, out.data(), (encrypt ? plain : cipher).data(), n);
      ASSERT_EQ(0, std::memcmp(out.data(), (encrypt ? cipher : plain).data(), len)) << n << " blocks";
      ASSERT_EQ(0, std::memcmp(&out[len], &untouched[len], out.size() - len)) << "written beyond " << n << " blocks";
    }
  }
}

TEST_P(BlockKernels, DecryptionOfTheReferenceAgrees) {
  for (size_t i = 0; i < 4; ++i) {
    Bytes block(&cipher[i * size], &cipher[i * size] + size);
    subject->decrypt(block.data());
    EXPECT_EQ(0, std::memcmp(block.data(), &plain[i * size], size));
  }
}

TEST_P(BlockKernels, InPlace) {
  for (const size_t n : {size_t{1}, size_t{2}, most / 2, most}) {
    Bytes buffer(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(n * size));
    row.encrypt(schedule, buffer.data(), buffer.data(), n);
    ASSERT_EQ(0, std::memcmp(buffer.data(), cipher.data(), n * size));
    row.decrypt(schedule, buffer.data(), buffer.data(), n);
    ASSERT_EQ(0, std::memcmp(buffer.data(), plain.data(), n * size));
  }
}

TEST_P(BlockKernels, EveryAlignment) {
  Bytes in(most * size + 64), out(most * size + 64);
  for (size_t offset = 0; offset < 64; ++offset) {
    std::memcpy(&in[offset], plain.data(), most * size);
    row.encrypt(schedule, &out[63 - offset], &in[offset], most);
    ASSERT_EQ(0, std::memcmp(&out[63 - offset], cipher.data(), most * size)) << "offset " << offset;
  }
}

TEST_P(BlockKernels, StaysInsideBuffersThatEndAtAnUnreadablePage) {
  for (const size_t n : {size_t{1}, size_t{3}, most / 2 + 1, most}) {
    const GuardedBuffer in(n * size), out(n * size);
    for (const auto side : {&GuardedBuffer::at_end, &GuardedBuffer::at_start}) {
      uint8_t* const from = (in.*side)();
      uint8_t* const to = (out.*side)();
      std::memcpy(from, plain.data(), n * size);
      row.encrypt(schedule, to, from, n);
      ASSERT_EQ(0, std::memcmp(to, cipher.data(), n * size));
      row.decrypt(schedule, from, to, n);
      ASSERT_EQ(0, std::memcmp(from, plain.data(), n * size));
    }
  }
}

// Optional members: a suite each, of the rows that have it. A CPU may run none.
class FusedCounterMode : public BlockKernels {};
class FusedHalfCounters : public BlockKernels {};
class FusedCnt : public BlockKernels {};
class FusedImit : public BlockKernels {};
class FourKeys : public BlockKernels {};
class KeyPerLane : public BlockKernels {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedCounterMode);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedHalfCounters);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedCnt);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedImit);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FourKeys);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KeyPerLane);

TEST_P(FusedCounterMode, AddsWithCarryOverTheWholeBlock) {
  std::vector<Bytes> starts(4, Bytes(size, 0xFF));
  starts[1][size - 1] = 0xFE;  // wraps to 0 on the third block
  starts[2] = Bytes(size, 0);  //
  starts[2][size / 2] = 0x7F;
  std::fill(starts[2].begin() + static_cast<ptrdiff_t>(size / 2) + 1, starts[2].end(), uint8_t{0xFF});
  starts[3] = random.bytes(size);
  for (const Bytes& start : starts)
    check_gamma(row.ctr, start, start, [&](Bytes& counter) { count(counter, 0, size); });
}

// incr_l and incr_r of RFC 9058 clause 3: one half is the counter, and its carry is lost.
TEST_P(FusedHalfCounters, CountAlone) {
  for (const bool left : {true, false}) {
    const size_t first = left ? 0 : size / 2, end = first + size / 2;
    std::vector<Bytes> starts(3, random.bytes(size));
    std::fill_n(starts[1].begin() + static_cast<ptrdiff_t>(first), size / 2, uint8_t{0xFF});  // wraps at once
    std::fill(starts[2].begin(), starts[2].end(), uint8_t{0xFF});
    starts[2][end - 1] = 0xFE;  // wraps on the third block
    SCOPED_TRACE(left ? "left" : "right");
    for (const Bytes& start : starts)
      check_gamma(left ? row.ctr_left : row.ctr_right, start, start,
                  [&](Bytes& counter) { count(counter, first, end); });
  }
}

// RFC 5830 clause 6.1, literally.
TEST_P(FusedCnt, StepsBothCounters) {
  std::vector<Bytes> starts(4, random.bytes(8));
  starts[1] = Bytes(8, 0xFF);                                // N3 wraps at once, N4 is 2^32 - 1
  starts[2] = Bytes(8, 0);                                   // N4 = 0
  store_le32(&starts[3][4], 0xFFFFFFFFu - 3 * 0x01010104u);  // N4 becomes 2^32 - 1 and goes on from there
  const auto step = [](Bytes& counters) {
    const uint64_t n3 = (load_le32(&counters[0]) + uint64_t{0x01010101}) & 0xFFFFFFFF;
    uint64_t n4 = load_le32(&counters[4]) + uint64_t{0x01010104};
    if (n4 >= uint64_t{1} << 32) n4 -= 0xFFFFFFFF;
    store_le64(counters.data(), n4 << 32 | n3);
  };
  for (const Bytes& start : starts) {
    Bytes first = start;
    step(first);
    check_gamma(row.cnt, start, first, step);
  }
}

TEST_P(FusedImit, ChainsItsSteps) {
  const Bytes start = random.bytes(size);
  for (const size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{5}}) {
    Bytes expected = start, state = start;
    for (size_t i = 0; i < n; ++i) {
      for (size_t b = 0; b < size; ++b) expected[b] ^= plain[i * size + b];
      subject->imit_step(expected.data());
    }
    row.imit(schedule, state.data(), plain.data(), n);
    ASSERT_EQ(expected, state) << n << " blocks";
  }
}

TEST_P(FourKeys, FourBlocks) {
  const size_t len = 4 * size;
  Bytes expected(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(len));
  uint32_t words[8][4];
  for (size_t i = 0; i < 4; ++i) {
    const auto other = subject->with_key(random_key(random));
    for (int j = 0; j < 8; ++j) words[j][i] = other->round_keys().magma()->k[j];
    other->encrypt(&expected[i * size]);
  }
  Bytes out(len + 1, 0xA5), in_place(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(len));
  row.encrypt_four(schedule, out.data(), plain.data(), words);
  row.encrypt_four(schedule, in_place.data(), in_place.data(), words);
  ASSERT_EQ(0xA5, out[len]);
  out.pop_back();
  ASSERT_EQ(expected, out);
  ASSERT_EQ(expected, in_place);
}

TEST_P(KeyPerLane, EveryLaneHasItsOwnKey) {
  const size_t lanes = row.info.lanes, num_rows = 3;
  std::vector<Key> keys(lanes);
  std::vector<const uint8_t*> pointers(lanes);
  std::vector<std::unique_ptr<Subject>> subjects(lanes);
  for (size_t i = 0; i < lanes; ++i) {
    keys[i] = random_key(random);
    if (i % 5 == 3) continue;  // a lane that is not used
    pointers[i] = keys[i].data();
    subjects[i] = subject->with_key(keys[i]);
  }
  const Schedule lanes_schedule(row, pointers.data(), subject->round_keys());
  const Bytes input = random.bytes(num_rows * lanes * size);
  const auto check = [&](auto function, auto one_block) {
    for (size_t rows = 0; rows <= num_rows; ++rows) {
      const size_t len = rows * lanes * size;
      Bytes out(len + 64, 0xA5), in_place = input;
      function(lanes_schedule, out.data(), input.data(), rows);
      function(lanes_schedule, in_place.data(), in_place.data(), rows);
      for (size_t i = 0; i < rows * lanes; ++i) {
        if (!subjects[i % lanes]) continue;
        Bytes expected(&input[i * size], &input[i * size] + size);
        one_block(*subjects[i % lanes], expected.data());
        ASSERT_EQ(0, std::memcmp(&out[i * size], expected.data(), size)) << "lane " << i % lanes;
        ASSERT_EQ(0, std::memcmp(&in_place[i * size], expected.data(), size)) << "lane " << i % lanes;
      }
      ASSERT_EQ(Bytes(64, 0xA5), Bytes(out.end() - 64, out.end())) << "written beyond " << rows << " rows";
      ASSERT_TRUE(std::equal(in_place.begin() + static_cast<ptrdiff_t>(len), in_place.end(),
                             input.begin() + static_cast<ptrdiff_t>(len)));
    }
  };
  check(row.encrypt_lanes, [](const Subject& s, uint8_t* block) { s.encrypt(block); });
  check(row.decrypt_lanes, [](const Subject& s, uint8_t* block) { s.decrypt(block); });
  if (row.imit_lanes) check(row.imit_lanes, [](const Subject& s, uint8_t* block) { s.imit_step(block); });
}

// Engines of a row and a one-block row. They do not depend on S-boxes: one set and a user-defined one represent all.
class BlockEngines : public BlockKernels {
 protected:
  std::vector<BlockChoice> choices() const {
    std::vector<BlockChoice> all;
    for (const BlockKernel* one : block_kernels(row.block_size == 16 ? Algorithm::kuznyechik : Algorithm::magma)) {
      if (one->info.lanes != 1 || !one->info.constant_time || !runnable(one->info)) continue;
      const Candidate rows[] = {{&row, std::max(row.info.pass_cost, 1u)}, {one, std::max(one->info.pass_cost, 1u)}};
      all.push_back({Choice::ok, Ladder(rows[0], rows)});
    }
    return all;
  }
};

TEST_P(BlockEngines, CutWorkIntoPassesAndRestsWithoutASeam) {
  for (const BlockChoice& choice : choices()) {
    const BlockEngine engine(choice, subject->round_keys(), 1);
    for (size_t n = 0; n <= most; n += 1 + n / 7) {
      Bytes out(n * size + 1);  // never without memory: memcmp takes no null pointer
      engine.encrypt(out.data(), plain.data(), n);
      ASSERT_EQ(0, std::memcmp(out.data(), cipher.data(), n * size)) << n << " blocks";
      engine.decrypt(out.data(), out.data(), n);
      ASSERT_EQ(0, std::memcmp(out.data(), plain.data(), n * size)) << n << " blocks";
    }
  }
}

// The reference is the row itself, compared block by block with the slow one above.
TEST_P(BlockEngines, CutLargeWorkAmongThreadsWithoutASeam) {
  const BlockChoice choice = choices().front();
  const size_t large = (640 << 10) / size + 5;
  const Bytes data = random.bytes(large * size), counter = random.bytes(size);
  Bytes once(data.size()), by_counter(data.size()), out(data.size());
  row.encrypt(schedule, once.data(), data.data(), large);
  BlockEngine(choice, subject->round_keys(), 1).ctr(by_counter.data(), data.data(), large, counter.data());
  for (const unsigned threads : {2u, 3u}) {
    const BlockEngine engine(choice, subject->round_keys(), threads);
    engine.encrypt(out.data(), data.data(), large);
    ASSERT_EQ(once, out) << threads << " threads";
    engine.decrypt(out.data(), out.data(), large);
    ASSERT_EQ(data, out) << threads << " threads";
    engine.ctr(out.data(), data.data(), large, counter.data());
    ASSERT_EQ(by_counter, out) << threads << " threads";
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name(); }

INSTANTIATE_TEST_SUITE_P(Rows, BlockKernels, testing::ValuesIn(cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, FusedCounterMode, testing::ValuesIn(cases_with(&BlockKernel::ctr)), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, FusedHalfCounters, testing::ValuesIn(cases_with(&BlockKernel::ctr_left)), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, FusedCnt, testing::ValuesIn(cases_of_cnt()), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, FusedImit, testing::ValuesIn(cases_with(&BlockKernel::imit)), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, FourKeys, testing::ValuesIn(cases_with(&BlockKernel::encrypt_four)), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, KeyPerLane, testing::ValuesIn(cases_with(&BlockKernel::prepare_lanes)), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, BlockEngines, testing::ValuesIn(cases_of_engines()), name_of);

#if defined(__x86_64__)
// So that a suite above cannot lose its rows unseen: somewhere in this build, whatever the CPU runs.
TEST(OptionalMembers, AreThereInSomeRow) {
  const auto has = [](auto member) {
    const auto of = [&](Algorithm algorithm) {
      return std::ranges::any_of(block_kernels(algorithm), [&](const BlockKernel* row) { return row->*member; });
    };
    return of(Algorithm::kuznyechik) || of(Algorithm::magma);
  };
  EXPECT_TRUE(has(&BlockKernel::ctr));
  EXPECT_TRUE(has(&BlockKernel::ctr_left));
  EXPECT_TRUE(has(&BlockKernel::cnt));
  EXPECT_TRUE(has(&BlockKernel::imit));
  EXPECT_TRUE(has(&BlockKernel::encrypt_four));
  EXPECT_TRUE(has(&BlockKernel::prepare_lanes));
}
#endif

TEST(KeySchedule, KuznyechikAgreesWithTheReference) {
  Random random;
  for (int i = 0; i < 100; ++i) {
    const Key key = random_key(random);
    const auto expected = kuznyechik::reference::key_schedule(key);
    kuznyechik::RoundKeys keys;
    kuznyechik::expand_key(keys, key.data());
    for (int r = 0; r < 10; ++r) ASSERT_EQ(0, std::memcmp(keys.k[r], expected[static_cast<size_t>(r)].data(), 16));
    for (const BlockKernel* row : block_kernels(Algorithm::kuznyechik)) {
      if (!row->expand_key || !runnable(row->info)) continue;
      kuznyechik::RoundKeys by_row;
      row->expand_key(&by_row, key.data());
      ASSERT_EQ(0, std::memcmp(&by_row, expected.data(), sizeof by_row)) << row->info.variant;
    }
  }
}

}  // namespace
}  // namespace vsh
