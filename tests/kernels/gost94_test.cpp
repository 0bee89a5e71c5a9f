// GOST R 34.11-94: the reference and the C ABI against the vectors, then the step on every kernel against the
// reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gost94/hash.hpp"
#include "gost94/reference.hpp"
#include "support/random.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.h"

namespace vsh::gost94 {
namespace {

using test::Random;
using vec::Bytes;

tables::MagmaSbox set_of(const std::string& sbox) {
  return sbox == "test-3411-94" ? tables::MagmaSbox::test_3411_94 : tables::MagmaSbox::cryptopro_3411_94;
}
vsh_hash_algorithm algorithm_of(const std::string& sbox) {
  return sbox == "test-3411-94" ? VSH_GOST94_TEST : VSH_GOST94_CRYPTOPRO;
}
const char* const kSboxes[] = {"test-3411-94", "cryptopro-3411-94"};

Bytes reference_hash(const std::string& sbox, const Bytes& message) {
  const auto& set = tables::kMagmaSboxes[static_cast<size_t>(set_of(sbox))];
  const reference::Word digest = reference::hash(set.rows, message.data(), message.size());
  return Bytes(digest.begin(), digest.end());
}

Bytes api_hash(const std::string& sbox, const Bytes& message) {
  Bytes digest(kBlockSize);
  EXPECT_EQ(vsh_hash_digest(digest.data(), digest.size(), algorithm_of(sbox), message.data(), message.size(), nullptr),
            VSH_OK);
  return digest;
}

// Rows of this CPU.
std::vector<const BlockKernel*> rows() {
  std::vector<const BlockKernel*> rows;
  for (const BlockKernel* row : block_kernels(Algorithm::gost28147))
    if (Step::choose_kernel(row->info.variant).status == Choice::ok) rows.push_back(row);
  return rows;
}

TEST(Gost94, VectorsOfHashes) {
  for (const vec::Record& r : vec::read("gost94.vec", "hash", {"Sbox", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    EXPECT_EQ(reference_hash(r.word("Sbox"), r.bytes("In")), r.bytes("Out"));
    EXPECT_EQ(api_hash(r.word("Sbox"), r.bytes("In")), r.bytes("Out"));
  }
}

TEST(Gost94, VectorsOfLongMessages) {
  for (const vec::Record& r : vec::read("gost94.vec", "repeat", {"Sbox", "Unit", "Count", "Out"})) {
    SCOPED_TRACE(r.where());
    Bytes message;
    for (uint64_t i = 0; i < r.number("Count"); ++i) {
      const Bytes unit = r.bytes("Unit");
      message.insert(message.end(), unit.begin(), unit.end());
    }
    EXPECT_EQ(api_hash(r.word("Sbox"), message), r.bytes("Out"));
  }
}

TEST(Gost94, VectorsOfTheStepOnEveryKernel) {
  for (const vec::Record& r : vec::read("gost94.vec", "step", {"Sbox", "IV", "In", "Out"})) {
    for (const BlockKernel* row : rows()) {
      SCOPED_TRACE(r.where() + " " + row->info.variant);
      Bytes h = r.bytes("IV");
      Step(*row, set_of(r.word("Sbox")))(h.data(), r.bytes("In").data());
      EXPECT_EQ(h, r.bytes("Out"));
    }
  }
}

TEST(Gost94, EveryKernelDoesTheStepOfTheReference) {
  ASSERT_FALSE(rows().empty());
  Random random(94);
  for (const char* sbox : kSboxes) {
    const auto& set = tables::kMagmaSboxes[static_cast<size_t>(set_of(sbox))];
    for (const BlockKernel* row : rows()) {
      const Step step(*row, set_of(sbox));
      for (int i = 0; i < 50; ++i) {
        reference::Word h, m;
        random.fill(h.data(), h.size());
        random.fill(m.data(), m.size());
        const reference::Word expected = reference::chi(set.rows, m, h);
        step(h.data(), m.data());
        ASSERT_EQ(h, expected) << row->info.variant;
      }
    }
  }
}

// All lengths around the first blocks, in pieces; messages of ones carry through the whole sum.
TEST(Gost94, PiecesOfAnyLength) {
  Random random(95);
  for (const char* sbox : kSboxes) {
    for (size_t len = 0; len <= 100; ++len) {
      const Bytes message = len % 2 ? Bytes(len, 0xff) : random.bytes(len);
      const Bytes expected = reference_hash(sbox, message);
      ASSERT_EQ(api_hash(sbox, message), expected) << len;
      Hash hash(Step(*Step::choose_kernel({}).row, set_of(sbox)));
      for (size_t at = 0; at < len;) {
        const size_t piece = std::min<size_t>(len - at, random.below(40));
        hash.update(message.data() + at, piece);
        at += piece;
      }
      Bytes digest(kBlockSize);
      hash.final(digest.data());
      ASSERT_EQ(digest, expected) << len;
    }
  }
}

TEST(Gost94, Kernels) {
  EXPECT_EQ(Step::choose_kernel("nonsense").status, Choice::unknown);
  EXPECT_EQ(Step::choose_kernel("tables").status, Choice::unknown);
  vsh_options o = VSH_OPTIONS_INIT;
  o.kernel = "serial";
  vsh_hash* hash = nullptr;
  ASSERT_EQ(vsh_hash_new(&hash, VSH_GOST94_TEST, &o), VSH_OK);
  EXPECT_STREQ(vsh_hash_kernel(hash), "serial");
  vsh_hash_free(hash);
  for (const char* name : {"tables", "avx2", "nonsense"}) {
    o.kernel = name;
    EXPECT_EQ(vsh_hash_new(&hash, VSH_GOST94_CRYPTOPRO, &o), VSH_E_KERNEL_UNKNOWN) << name;
  }
}

}  // namespace
}  // namespace vsh::gost94
