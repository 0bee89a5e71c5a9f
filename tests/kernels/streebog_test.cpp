// Streebog: the reference against the examples of RFC 6986, then every kernel row against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash.hpp"
#include "streebog/reference.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/skipped_rows.hpp"

namespace vsh::streebog {
namespace {

using test::GuardedBuffer;
using test::Random;
using Bytes = std::vector<uint8_t>;

// Converts a number as printed in the standard, most significant digit first, to bytes in memory.
Bytes from_standard(const std::string& hex) {
  Bytes bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[bytes.size() - 1 - i] = static_cast<uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

// RFC 6986, section 10: M1 has 504 bits, M2 has 576.
const char kM1[] =
    "3231303938373635343332313039383736353433323130393837363534333231"
    "30393837363534333231303938373635343332313039383736353433323130";
const char kM2[] =
    "fbe2e5f0eee3c820fbeafaebef20fffbf0e1e0f0f520e0ed20e8ece0ebe5f0f2"
    "f120fff0eeec20f120faf2fee5e2202ce8f6f3ede220e8e6eee1e8f0f2d1202ce8f0f2e5e220e5d1";
struct Example {
  const char* message;
  unsigned hash_bits;
  const char* hash;
};
const Example kExamples[] = {
    {kM1, 512,
     "486f64c1917879417fef082b3381a4e211c324f074654c38823a7b76f830ad00"
     "fa1fbae42b1285c0352f227524bc9ab16254288dd6863dccd5b9f54a1ad0541b"},
    {kM1, 256, "00557be5e584fd52a449b16b0251d05d27f94ab76cbaa6da890b59d8ef1e159d"},
    {kM2, 512,
     "28fbc9bada033b1460642bdcddb90c3fb3e56c497ccd0f62b8a2ad4935e85f03"
     "7613966de4ee00531ae60f3b5a47f8dae06915d5f2f194996fcabf2622e6881e"},
    {kM2, 256, "508f7e553c06501d749a66fc28c6cac0b005746d97537fa85d9e40904efed29d"},
};

Bytes reference_hash(unsigned hash_bits, const uint8_t* p, size_t len) {
  Bytes out(hash_bits / 8);
  reference::hash(static_cast<int>(hash_bits), out.data(), p, len);
  return out;
}
Bytes reference_hash(unsigned hash_bits, const Bytes& m) { return reference_hash(hash_bits, m.data(), m.size()); }

Bytes finish(Hash& hash) {
  Bytes out(hash.size());
  hash.final(out.data());
  return out;
}
Bytes kernel_hash(const HashKernel& row, unsigned hash_bits, const uint8_t* p, size_t len) {
  Hash hash(&row, hash_bits);
  hash.update(p, len);
  return finish(hash);
}
Bytes kernel_hash(const HashKernel& row, unsigned hash_bits, const Bytes& m) {
  return kernel_hash(row, hash_bits, m.data(), m.size());
}

TEST(StreebogReference, ExamplesOfTheStandard) {
  for (const Example& e : kExamples)
    EXPECT_EQ(reference_hash(e.hash_bits, from_standard(e.message)), from_standard(e.hash)) << e.hash;
}

// M1 is the text "012345678901234…" in memory: the byte order of this interface.
TEST(StreebogReference, ByteOrder) {
  const std::string text = "012345678901234567890123456789012345678901234567890123456789012";
  EXPECT_EQ(from_standard(kM1), Bytes(text.begin(), text.end()));
}

// The sum that kernels compute by words, at the places where a carry is easily lost.
TEST(StreebogReference, AdditionCarries) {
  reference::Vector512 ones, one{}, zero{};
  ones.fill(0xFF);
  one[0] = 1;
  EXPECT_EQ(reference::add(ones, one), zero);
  reference::Vector512 twice = ones;
  twice[0] = 0xFE;
  EXPECT_EQ(reference::add(ones, ones), twice);
}

std::vector<const HashKernel*> runnable_rows() {
  std::vector<const HashKernel*> rows;
  for (const HashKernel* row : hash_kernels())
    if (test::runs_here(row->info)) rows.push_back(row);
  return rows;
}

class StreebogKernel : public testing::TestWithParam<const HashKernel*> {
 protected:
  const HashKernel& row() const { return *GetParam(); }
};

TEST_P(StreebogKernel, ExamplesOfTheStandard) {
  for (const Example& e : kExamples)
    EXPECT_EQ(kernel_hash(row(), e.hash_bits, from_standard(e.message)), from_standard(e.hash)) << e.hash;
}

TEST_P(StreebogKernel, LengthsAndAlignments) {
  SCOPED_TRACE(test::seed_note());
  Random random(1);
  const Bytes data = random.bytes(300 + 64);
  for (const unsigned bits : {256u, 512u})
    for (size_t len = 0; len <= 300; ++len) {
      const size_t offset = len % 64;
      ASSERT_EQ(kernel_hash(row(), bits, data.data() + offset, len), reference_hash(bits, data.data() + offset, len))
          << bits << " bits, " << len << " bytes";
    }
}

TEST_P(StreebogKernel, EmptyUpdates) {
  Hash hash(&row(), 512);
  hash.update(nullptr, 0);
  EXPECT_EQ(finish(hash), reference_hash(512, nullptr, 0));
}

TEST_P(StreebogKernel, EverySplitEqualsOneCall) {
  SCOPED_TRACE(test::seed_note());
  Random random(2);
  const Bytes m = random.bytes(64 * 4 + 5);
  const Bytes expected = reference_hash(512, m);
  for (size_t first = 0; first <= m.size(); ++first) {
    Hash hash(&row(), 512);
    hash.update(m.data(), first);
    hash.update(m.data() + first, m.size() - first);
    ASSERT_EQ(finish(hash), expected) << "split at " << first;
  }
  for (size_t step = 1; step <= 130; ++step) {
    Hash hash(&row(), 512);
    for (size_t at = 0; at < m.size(); at += step) hash.update(m.data() + at, std::min(step, m.size() - at));
    ASSERT_EQ(finish(hash), expected) << "in steps of " << step;
  }
}

TEST_P(StreebogKernel, LongRandomMessages) {
  SCOPED_TRACE(test::seed_note());
  Random random(3);
  for (int i = 0; i < 6; ++i) {
    const Bytes m = random.bytes(random.below(6000));
    for (const unsigned bits : {256u, 512u})
      ASSERT_EQ(kernel_hash(row(), bits, m), reference_hash(bits, m)) << m.size() << " bytes";
  }
}

TEST_P(StreebogKernel, CopyGoesOnAndResetStartsAnew) {
  Random random(4);
  const Bytes m = random.bytes(200);
  Hash hash(&row(), 256);
  hash.update(m.data(), 100);
  Hash copy = hash;
  hash.update(m.data() + 100, 100);
  EXPECT_EQ(finish(hash), reference_hash(256, m));
  EXPECT_EQ(finish(copy), reference_hash(256, m.data(), 100));
  copy.reset();
  copy.update(m.data(), m.size());
  EXPECT_EQ(finish(copy), reference_hash(256, m));
}

TEST_P(StreebogKernel, ReadsNothingOutsideTheMessage) {
  Random random(5);
  for (const size_t len : {1, 63, 64, 65, 128, 200, 4096}) {
    const GuardedBuffer guarded(len);
    random.fill(guarded.at_end(), len);
    EXPECT_EQ(kernel_hash(row(), 512, guarded.at_end(), len), reference_hash(512, guarded.at_end(), len)) << len;
    random.fill(guarded.at_start(), len);
    EXPECT_EQ(kernel_hash(row(), 512, guarded.at_start(), len), reference_hash(512, guarded.at_start(), len)) << len;
  }
}

// absorb against g, add and add of the reference, from any state.
void expect_absorbs(const HashKernel& row, const State& start, const Bytes& blocks) {
  reference::Vector512 h, n, sigma;
  std::memcpy(h.data(), start.h, 64);
  std::memcpy(n.data(), start.n, 64);
  std::memcpy(sigma.data(), start.sigma, 64);
  reference::Vector512 block_bits{};
  block_bits[1] = 2;  // 512
  for (size_t at = 0; at < blocks.size(); at += 64) {
    reference::Vector512 m;
    std::memcpy(m.data(), blocks.data() + at, 64);
    h = reference::g(n, h, m);
    n = reference::add(n, block_bits);
    sigma = reference::add(sigma, m);
  }
  State state = start;
  row.absorb(&state, blocks.data(), blocks.size() / 64);
  EXPECT_EQ(std::memcmp(state.h, h.data(), 64), 0);
  EXPECT_EQ(std::memcmp(state.n, n.data(), 64), 0);
  EXPECT_EQ(std::memcmp(state.sigma, sigma.data(), 64), 0);
}

TEST_P(StreebogKernel, CounterCarriesThroughEveryWord) {
  SCOPED_TRACE(test::seed_note());
  Random random(6);
  for (int words = 0; words <= 8; ++words) {
    State start;
    random.fill(start.h, 64);
    random.fill(start.sigma, 64);
    std::memset(start.n, 0, 64);
    std::memset(start.n, 0xFF, 8 * static_cast<size_t>(words));  // 2^(64 words) - 1: the next block carries
    if (words) start.n[0] = 0x00, start.n[1] = 0xFE;             // the last multiple of 512 before it
    expect_absorbs(row(), start, random.bytes(64 * 3));
  }
}

// Sums whose words are all ones: a carry into such a word leaves it equal to the other summand.
TEST_P(StreebogKernel, ChecksumCarries) {
  Random random(7);
  for (const uint8_t fill : {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF})
    for (const uint8_t message : {0x00, 0x01, 0x80, 0xFF}) {
      State start;
      random.fill(start.h, 64);
      std::memset(start.n, 0, 64);
      std::memset(start.sigma, fill, 64);
      Bytes blocks(64 * 3, message);
      expect_absorbs(row(), start, blocks);
      blocks[0] ^= 1;
      expect_absorbs(row(), start, blocks);
      // Words of ones at any places.
      for (int pattern = 0; pattern < 256; pattern += 5) {
        for (int w = 0; w < 8; ++w) std::memset(start.sigma + 8 * w, (pattern >> w) & 1 ? 0xFF : fill, 8);
        expect_absorbs(row(), start, blocks);
      }
    }
  for (const size_t len : {64, 128, 640, 1000}) {
    const Bytes ones(len, 0xFF);
    EXPECT_EQ(kernel_hash(row(), 512, ones), reference_hash(512, ones)) << len;
  }
}

TEST_P(StreebogKernel, NoBlocksChangeNothing) {
  Random random(8);
  State state;
  random.fill(state.h, 64);
  random.fill(state.n, 64);
  random.fill(state.sigma, 64);
  const State before = state;
  row().absorb(&state, nullptr, 0);
  EXPECT_EQ(std::memcmp(&state, &before, sizeof state), 0);
}

TEST_P(StreebogKernel, Compress) {
  SCOPED_TRACE(test::seed_note());
  Random random(9);
  for (int i = 0; i < 50; ++i) {
    // At any alignment, and with the three vectors at the edge of their pages.
    const GuardedBuffer h(64), n(64), m(64);
    reference::Vector512 hv, nv, mv;
    for (auto* v : {&hv, &nv, &mv}) random.fill(v->data(), 64);
    std::memcpy(h.at_end(), hv.data(), 64);
    std::memcpy(n.at_end(), nv.data(), 64);
    std::memcpy(m.at_end(), mv.data(), 64);
    row().compress(h.at_end(), n.at_end(), m.at_end());
    ASSERT_EQ(std::memcmp(h.at_end(), reference::g(nv, hv, mv).data(), 64), 0);
    uint8_t room[64 * 3 + 8];
    uint8_t* p = room + i % 8;
    std::memcpy(p, hv.data(), 64);
    std::memcpy(p + 64, nv.data(), 64);
    std::memcpy(p + 128, mv.data(), 64);
    row().compress(p, p + 64, p + 128);
    ASSERT_EQ(std::memcmp(p, reference::g(nv, hv, mv).data(), 64), 0);
  }
}

// Every byte value at every place of the state passes S, P and L.
TEST_P(StreebogKernel, EveryByteAtEveryPlace) {
  for (int place = 0; place < 64; ++place)
    for (int value = 0; value < 256; ++value) {
      reference::Vector512 h{}, n{}, m{};
      (value & 1 ? m : n)[static_cast<size_t>(place)] = static_cast<uint8_t>(value);
      uint8_t out[64];
      std::memcpy(out, h.data(), 64);
      row().compress(out, n.data(), m.data());
      if (place % 8 == value % 8) {  // the reference is slow
        ASSERT_EQ(std::memcmp(out, reference::g(n, h, m).data(), 64), 0) << place << " " << value;
      }
      static Bytes first[64][256];  // by the first row; the others must agree with it
      Bytes& expected = first[place][value];
      if (expected.empty()) expected.assign(out, out + 64);
      ASSERT_EQ(std::memcmp(out, expected.data(), 64), 0) << place << " " << value;
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, StreebogKernel, testing::ValuesIn(runnable_rows()),
                         [](const auto& info) { return std::string(info.param->info.variant); });

TEST(StreebogRows, OnlyTheTablesAreNotConstantTime) {
  for (const HashKernel* row : hash_kernels())
    EXPECT_EQ(row->info.constant_time, std::strcmp(row->info.variant, "tables") != 0) << row->info.variant;
}

}  // namespace
}  // namespace vsh::streebog
