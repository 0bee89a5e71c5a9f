// Key derivation against the documents' examples, through the C ABI.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "keys/support/keys.hpp"
#include "support/vec.hpp"

namespace vsh::test {
namespace {

TEST(KdfVectors, Hmac) {
  for (const vec::Record& r : vec::read("kdf.vec", "hmac", {"Bits", "Key", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes key = r.bytes("Key"), in = r.bytes("In");
    const vsh_mac_algorithm algorithm = r.number("Bits") == 256 ? VSH_HMAC_STREEBOG256 : VSH_HMAC_STREEBOG512;
    for (const char* kernel : streebog_kernels(false)) {
      const vsh_options o = options_for(kernel);
      vsh_mac* mac = nullptr;
      ASSERT_EQ(vsh_mac_new(&mac, algorithm, key.data(), key.size(), &o), VSH_OK);
      EXPECT_STREQ(vsh_mac_kernel(mac), kernel);
      Bytes tag(vsh_mac_max_len(algorithm));
      EXPECT_EQ(vsh_mac_update(mac, in.data(), in.size()), VSH_OK);
      EXPECT_EQ(vsh_mac_final(mac, tag.data(), tag.size()), VSH_OK);
      EXPECT_EQ(tag, r.bytes("Out")) << kernel;
      vsh_mac_free(mac);
    }
  }
}

TEST(KdfVectors, Prf) {
  for (const vec::Record& r : vec::read("kdf.vec", "prf", {"Function", "Key", "Label", "Seed", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes key = r.bytes("Key"), label = r.bytes("Label"), seed = r.bytes("Seed"), expected = r.bytes("Out");
    vsh_prf_algorithm algorithm;
    ASSERT_EQ(vsh_prf_by_name(&algorithm, r.word("Function").c_str()), VSH_OK);
    for (size_t len = 1; len <= expected.size(); ++len) {
      Bytes out(len);
      ASSERT_EQ(vsh_prf(out.data(), len, algorithm, key.data(), key.size(), label.data(), label.size(), seed.data(),
                        seed.size(), nullptr),
                VSH_OK);
      EXPECT_EQ(out, Bytes(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(len)));
    }
  }
}

TEST(KdfVectors, KdfAndKdfTree) {
  for (const vec::Record& r : vec::read("kdf.vec", "kdf-tree", {"CounterLen", "Key", "Label", "Seed", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes key = r.bytes("Key"), label = r.bytes("Label"), seed = r.bytes("Seed"), expected = r.bytes("Out");
    Bytes out(expected.size());
    const auto counter_len = static_cast<unsigned>(r.number("CounterLen"));
    ASSERT_EQ(vsh_kdf_tree(out.data(), out.size(), key.data(), key.size(), counter_len, label.data(), label.size(),
                           seed.data(), seed.size(), nullptr),
              VSH_OK);
    EXPECT_EQ(out, expected);
    if (out.size() != VSH_KDF_LEN) continue;
    std::fill(out.begin(), out.end(), 0);
    ASSERT_EQ(vsh_kdf(out.data(), out.size(), key.data(), key.size(), label.data(), label.size(), seed.data(),
                      seed.size(), nullptr),
              VSH_OK);
    EXPECT_EQ(out, expected);
  }
}

struct Derivation {
  Bytes password, salt, expected, out;
  uint32_t iterations;
  explicit Derivation(const vec::Record& r)
      : password(r.bytes("Password")),
        salt(r.bytes("Salt")),
        expected(r.bytes("Out")),
        out(expected.size()),
        iterations(static_cast<uint32_t>(r.number("Iterations"))) {}
};

std::vector<vec::Record> derivations(const char* section) {
  return vec::read("kdf.vec", section, {"Password", "Salt", "Iterations", "Out"});
}

void expect_derivations(const char* section) {
  for (const vec::Record& r : derivations(section)) {
    SCOPED_TRACE(r.where());
    Derivation d(r);
    ASSERT_EQ(vsh_pbkdf2(d.out.data(), d.out.size(), d.password.data(), d.password.size(), d.salt.data(), d.salt.size(),
                         d.iterations, nullptr),
              VSH_OK);
    EXPECT_EQ(d.out, d.expected);
  }
}

TEST(KdfVectors, Pbkdf2OneByOne) { expect_derivations("pbkdf2"); }

// All of them together on the best row for many messages, with idle lanes and unequal counts; the short ones on each
// row.
TEST(KdfVectors, Pbkdf2SideBySide) {
  bool best = true;
  for (const char* kernel : streebog_kernels(true)) {
    std::vector<Derivation> all;
    for (const vec::Record& r : derivations("pbkdf2"))
      if (best || r.number("Iterations") < 100) all.emplace_back(r);
    best = false;
    std::vector<vsh_pbkdf2_job> jobs;
    for (Derivation& d : all)
      jobs.push_back({d.password.data(), d.password.size(), d.salt.data(), d.salt.size(), d.iterations, d.out.data(),
                      d.out.size(), VSH_E_STATE});
    const vsh_options o = options_for(kernel);
    ASSERT_EQ(vsh_pbkdf2_batch(jobs.data(), jobs.size(), &o), VSH_OK);
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(jobs[i].status, VSH_OK);
      EXPECT_EQ(all[i].out, all[i].expected) << kernel << ", example " << i;
    }
  }
}

TEST(KdfVectors, Pbkdf2Long) {
  if (!std::getenv("VERSHINA_TEST_LONG")) GTEST_SKIP() << "16777216 iterations: set VERSHINA_TEST_LONG";
  expect_derivations("pbkdf2-long");
}

TEST(KdfVectors, TlsTree) {
  for (const vec::Record& r : vec::read("kdf.vec", "tlstree", {"Suite", "Key", "Seqnum", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes root = r.bytes("Key");
    vsh_tlstree_suite suite;
    ASSERT_EQ(vsh_tlstree_by_name(&suite, r.word("Suite").c_str()), VSH_OK);
    vsh_tlstree* tree = nullptr;
    ASSERT_EQ(vsh_tlstree_new(&tree, suite, root.data(), root.size(), nullptr), VSH_OK);
    Bytes key(VSH_KDF_LEN);
    EXPECT_EQ(vsh_tlstree_key(tree, key.data(), key.size(), r.number("Seqnum")), VSH_OK);
    EXPECT_EQ(key, r.bytes("Out"));
    vsh_tlstree_free(tree);
  }
}

TEST(KdfVectors, EspTree) {
  for (const vec::Record& r : vec::read("kdf.vec", "esptree", {"Key", "IV", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes root = r.bytes("Key"), iv = r.bytes("IV");
    ASSERT_EQ(iv.size(), 5u);
    vsh_esptree* tree = nullptr;
    ASSERT_EQ(vsh_esptree_new(&tree, root.data(), root.size(), nullptr), VSH_OK);
    Bytes key(VSH_KDF_LEN);
    EXPECT_EQ(vsh_esptree_key(tree, key.data(), key.size(), iv[0], static_cast<uint16_t>(iv[1] << 8 | iv[2]),
                              static_cast<uint16_t>(iv[3] << 8 | iv[4])),
              VSH_OK);
    EXPECT_EQ(key, r.bytes("Out"));
    vsh_esptree_free(tree);
  }
}

}  // namespace
}  // namespace vsh::test
