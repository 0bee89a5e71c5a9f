// The references and every kernel row against the examples of the standards and the results of other implementations
// (tests/vectors/SOURCES.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/bytes.hpp"
#include "core/registry.hpp"
#include "keys/cipher_key.hpp"
#include "kuznyechik/linear.hpp"
#include "kuznyechik/reference.hpp"
#include "magma/reference.hpp"
#include "support/schedule.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using vec::Bytes;

template <size_t n>
std::array<uint8_t, n> array_of(const Bytes& bytes) {
  std::array<uint8_t, n> a;
  if (bytes.size() != n) throw vec::Error("expected " + std::to_string(n) + " bytes");
  std::copy(bytes.begin(), bytes.end(), a.begin());
  return a;
}

uint32_t word_of(const Bytes& bytes) { return load_be32(array_of<4>(bytes).data()); }

// Every runnable row, both directions.
void expect_rows_agree(Algorithm a, const RoundKeysView& round_keys, const Bytes& in, const Bytes& out) {
  for (const BlockKernel* row : block_kernels(a)) {
    if (!runnable(row->info)) continue;  // block_kernels_test prints and counts these
    SCOPED_TRACE(row->info.variant);
    const test::Schedule schedule(*row, round_keys);
    Bytes result(in.size());
    row->encrypt(schedule, result.data(), in.data(), in.size() / row->block_size);
    EXPECT_EQ(out, result);
    row->decrypt(schedule, result.data(), out.data(), out.size() / row->block_size);
    EXPECT_EQ(in, result);
  }
}

TEST(KuznyechikReference, Transformations) {
  using namespace kuznyechik::reference;
  struct {
    const char* section;
    Block (*forwards)(const Block&);
    Block (*backwards)(const Block&);
  } const cases[] = {{"s", S, S_inverse},
                     {"r", R, R_inverse},
                     {"l", [](const Block& a) { return L(a); }, [](const Block& a) { return L_inverse(a); }}};
  for (const auto& c : cases)
    for (const vec::Record& r : vec::read("kuznyechik_block.vec", c.section, {"In", "Out"})) {
      SCOPED_TRACE(r.where());
      const Block in = array_of<16>(r.bytes("In")), out = array_of<16>(r.bytes("Out"));
      EXPECT_EQ(out, c.forwards(in));
      EXPECT_EQ(in, c.backwards(out));
    }
}

TEST(Kuznyechik, IterationConstants) {
  const auto constants = kuznyechik::iteration_constants();
  for (const vec::Record& r : vec::read("kuznyechik_block.vec", "constants", {"Index", "Out"})) {
    SCOPED_TRACE(r.where());
    EXPECT_EQ(0, std::memcmp(constants.c[r.number("Index") - 1].b, r.bytes("Out").data(), 16));
  }
}

TEST(Kuznyechik, RoundKeys) {
  for (const vec::Record& r : vec::read("kuznyechik_block.vec", "round-keys", {"Key", "Out"})) {
    SCOPED_TRACE(r.where());
    kuznyechik::RoundKeys keys;
    kuznyechik::expand_key(keys, r.bytes("Key").data());
    const Bytes out = r.bytes("Out");
    ASSERT_EQ(sizeof keys.k, out.size());
    EXPECT_EQ(0, std::memcmp(keys.k, out.data(), out.size()));
    const auto reference = kuznyechik::reference::key_schedule(array_of<32>(r.bytes("Key")));
    EXPECT_EQ(0, std::memcmp(reference.data(), out.data(), out.size()));
  }
}

TEST(KuznyechikReference, Rounds) {
  using namespace kuznyechik::reference;
  for (const vec::Record& r : vec::read("kuznyechik_block.vec", "rounds", {"Key", "In", "Index", "Out"})) {
    SCOPED_TRACE(r.where());
    const auto keys = key_schedule(array_of<32>(r.bytes("Key")));
    Block a = array_of<16>(r.bytes("In"));
    for (size_t i = 0; i < r.number("Index"); ++i) a = L(S(X(keys[i], a)));
    EXPECT_EQ(array_of<16>(r.bytes("Out")), a);
  }
}

TEST(Kuznyechik, Blocks) {
  for (const vec::Record& r : vec::read("kuznyechik_block.vec", "block", {"Key", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes in = r.bytes("In"), out = r.bytes("Out");
    const auto keys = kuznyechik::reference::key_schedule(array_of<32>(r.bytes("Key")));
    for (size_t i = 0; i < in.size(); i += 16) {
      kuznyechik::reference::Block plain, cipher;
      std::copy_n(in.begin() + static_cast<ptrdiff_t>(i), 16, plain.begin());
      std::copy_n(out.begin() + static_cast<ptrdiff_t>(i), 16, cipher.begin());
      EXPECT_EQ(cipher, kuznyechik::reference::E(keys, plain));
      EXPECT_EQ(plain, kuznyechik::reference::D(keys, cipher));
    }
    expect_rows_agree(Algorithm::kuznyechik, keys::CipherKey(Algorithm::kuznyechik, r.bytes("Key").data()), in, out);
  }
}

const auto kMagmaRows = tables::kMagmaSboxes[static_cast<size_t>(tables::MagmaSbox::tc26_z)].rows;

TEST(MagmaReference, Transformations) {
  for (const vec::Record& r : vec::read("magma_block.vec", "t", {"In", "Out"})) {
    SCOPED_TRACE(r.where());
    EXPECT_EQ(word_of(r.bytes("Out")), magma::reference::t(kMagmaRows, word_of(r.bytes("In"))));
  }
  for (const vec::Record& r : vec::read("magma_block.vec", "g", {"RoundKey", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    EXPECT_EQ(word_of(r.bytes("Out")),
              magma::reference::g(kMagmaRows, word_of(r.bytes("RoundKey")), word_of(r.bytes("In"))));
  }
}

TEST(MagmaReference, RoundKeys) {
  for (const vec::Record& r : vec::read("magma_block.vec", "round-keys", {"Key", "Out"})) {
    SCOPED_TRACE(r.where());
    const auto keys = magma::reference::key_schedule_magma(array_of<32>(r.bytes("Key")));
    const auto out = array_of<128>(r.bytes("Out"));
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(load_be32(&out[4 * i]), keys[i]);
  }
}

TEST(MagmaReference, Rounds) {
  for (const vec::Record& r : vec::read("magma_block.vec", "rounds", {"Key", "In", "Index", "Out"})) {
    SCOPED_TRACE(r.where());
    const auto keys = magma::reference::key_schedule_magma(array_of<32>(r.bytes("Key")));
    const auto in = array_of<8>(r.bytes("In")), out = array_of<8>(r.bytes("Out"));
    uint32_t a1 = load_be32(&in[0]), a0 = load_be32(&in[4]);
    for (size_t i = 0; i < r.number("Index"); ++i) {
      const uint32_t next = magma::reference::g(kMagmaRows, keys[i], a0) ^ a1;
      a1 = a0;
      a0 = next;
    }
    EXPECT_EQ(load_be64(out.data()), uint64_t{a1} << 32 | a0);
  }
}

TEST(Magma, Blocks) {
  for (const vec::Record& r : vec::read("magma_block.vec", "block", {"Key", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes in = r.bytes("In"), out = r.bytes("Out");
    const auto keys = magma::reference::key_schedule_magma(array_of<32>(r.bytes("Key")));
    for (size_t i = 0; i < in.size(); i += 8) {
      EXPECT_EQ(load_be64(&out[i]), magma::reference::E(kMagmaRows, keys, load_be64(&in[i])));
      EXPECT_EQ(load_be64(&in[i]), magma::reference::D(kMagmaRows, keys, load_be64(&out[i])));
    }
    expect_rows_agree(Algorithm::magma, keys::CipherKey(Algorithm::magma, r.bytes("Key").data()), in, out);
  }
}

// The reference and all rows for GOST 28147-89 with the given boxes.
void expect_gost28147(const vec::Record& r, const keys::CipherParameters& parameters) {
  const Bytes in = r.bytes("In"), out = r.bytes("Out");
  const auto keys = magma::reference::key_schedule_gost28147(array_of<32>(r.bytes("Key")));
  for (size_t i = 0; i < in.size(); i += 8) {
    EXPECT_EQ(load_le64(&out[i]), magma::reference::E(parameters.magma()->rows, keys, load_le64(&in[i])));
    EXPECT_EQ(load_le64(&in[i]), magma::reference::D(parameters.magma()->rows, keys, load_le64(&out[i])));
  }
  expect_rows_agree(Algorithm::gost28147, keys::CipherKey(parameters, r.bytes("Key").data()), in, out);
}

TEST(Gost28147, BlocksWithEveryNamedSet) {
  std::array<int, tables::kNumMagmaSboxes> seen{};
  for (const vec::Record& r : vec::read("gost28147_block.vec", "block", {"Sbox", "Key", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const auto named = [&](const tables::MagmaSboxInfo& set) { return r.word("Sbox") == set.name; };
    const auto set = std::find_if(std::begin(tables::kMagmaSboxes), std::end(tables::kMagmaSboxes), named);
    ASSERT_NE(std::end(tables::kMagmaSboxes), set) << r.word("Sbox");
    const size_t i = static_cast<size_t>(set - std::begin(tables::kMagmaSboxes));
    ++seen[i];
    expect_gost28147(r, {Algorithm::gost28147, static_cast<tables::MagmaSbox>(i)});
  }
  for (size_t i = 0; i < seen.size(); ++i)
    EXPECT_GT(seen[i], 0) << "no vector for set " << tables::kMagmaSboxes[i].name;
}

TEST(Gost28147, BlocksWithTheUsersOwnSet) {
  for (const vec::Record& r : vec::read("gost28147_block.vec", "block-user-sbox", {"SboxRows", "Key", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const std::string& digits = r.word("SboxRows");
    ASSERT_EQ(128u, digits.size());
    uint8_t rows[8][16];
    for (size_t i = 0; i < 128; ++i)
      rows[i / 16][i % 16] = static_cast<uint8_t>(std::string("0123456789abcdef").find(digits[i]));
    expect_gost28147(r, keys::CipherParameters(rows[0]));
  }
}

}  // namespace
}  // namespace vsh
