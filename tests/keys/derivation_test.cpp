// KDF_TREE, the PRFs, TLSTREE and ESPTREE against their definitions, and refusals.
#include <algorithm>

#include "keys/support/keys.hpp"
#include "support/random.hpp"

namespace vsh::test {
namespace {

const Bytes kKey(32, 0x42);

Bytes be(uint64_t value, size_t len) {
  Bytes bytes(len);
  for (size_t i = 0; i < len; ++i) bytes[len - 1 - i] = static_cast<uint8_t>(value >> (8 * i));
  return bytes;
}

Bytes text(const char* s) { return Bytes(s, s + std::char_traits<char>::length(s)); }

// RFC 7836 4.4, with [L]_b given: without leading zeros.
Bytes text_kdf_tree(const Bytes& key, unsigned r, const Bytes& label, const Bytes& seed, size_t len, const Bytes& l) {
  Bytes out;
  for (uint64_t i = 1; out.size() < len; ++i) out = out + text_hmac(256, key, be(i, r) + label + Bytes{0} + seed + l);
  out.resize(len);
  return out;
}

TEST(KdfTree, EveryCounterAndLength) {
  const Bytes label = text("label"), seed = text("seed");
  const struct {
    size_t len;
    Bytes l;
  } cases[] = {
      {1, {8}}, {31, {248}}, {32, {1, 0}}, {33, {1, 8}}, {64, {2, 0}}, {8160, {0xff, 0}}, {255 * 32 - 1, {0xfe, 0xf8}}};
  for (const unsigned r : {1u, 2u, 3u, 4u}) {
    for (const auto& c : cases) {
      if (r > 1 && c.len > 64) continue;  // the same work
      Bytes out(c.len);
      ASSERT_EQ(vsh_kdf_tree(out.data(), out.size(), kKey.data(), 32, r, label.data(), label.size(), seed.data(),
                             seed.size(), nullptr),
                VSH_OK);
      EXPECT_EQ(out, text_kdf_tree(kKey, r, label, seed, c.len, c.l)) << r << ' ' << c.len;
    }
  }
  // A length of three bytes, and a counter that carries into the second.
  Bytes out(257 * 32);
  ASSERT_EQ(vsh_kdf_tree(out.data(), out.size(), kKey.data(), 32, 2, nullptr, 0, nullptr, 0, nullptr), VSH_OK);
  const Bytes last(out.end() - 32, out.end());
  EXPECT_EQ(last, text_hmac(256, kKey, be(257, 2) + Bytes{0} + be(257 * 256, 3)));
}

TEST(KdfTree, Refuses) {
  Bytes out(9000, 0xaa);
  const auto call = [&](size_t len, unsigned r, size_t key_len = 32) {
    return vsh_kdf_tree(out.data(), len, kKey.data(), key_len, r, nullptr, 0, nullptr, 0, nullptr);
  };
  EXPECT_EQ(call(0, 1), VSH_E_PARAMETERS);
  EXPECT_EQ(call(8161, 1), VSH_E_PARAMETERS);
  EXPECT_EQ(call(32, 0), VSH_E_PARAMETERS);
  EXPECT_EQ(call(32, 5), VSH_E_PARAMETERS);
  EXPECT_EQ(call(32, 1, 0), VSH_E_KEY_LENGTH);
  EXPECT_EQ(vsh_kdf_tree(nullptr, 32, kKey.data(), 32, 1, nullptr, 0, nullptr, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_kdf_tree(out.data(), 32, nullptr, 32, 1, nullptr, 0, nullptr, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_kdf_tree(out.data(), 32, kKey.data(), 32, 1, nullptr, 1, nullptr, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_kdf_tree(out.data(), 32, kKey.data(), 32, 1, nullptr, 0, out.data() + 31, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_kdf(out.data(), 31, kKey.data(), 32, nullptr, 0, nullptr, 0, nullptr), VSH_E_ARGUMENT);
  vsh_options o = options_for("tables");
  o.flags = VSH_ALLOW_TABLES;
  EXPECT_EQ(vsh_kdf(out.data(), 32, kKey.data(), 32, nullptr, 0, nullptr, 0, &o), VSH_E_KERNEL_TABLES);
  EXPECT_EQ(out, Bytes(9000, 0xaa)) << "untouched";
  // The output may overwrite the key.
  Bytes key = kKey;
  EXPECT_EQ(vsh_kdf(key.data(), 32, key.data(), 32, nullptr, 0, nullptr, 0, nullptr), VSH_OK);
  EXPECT_EQ(key, text_kdf_tree(kKey, 1, {}, {}, 32, {1, 0}));
}

TEST(Prf, Definitions) {
  const Bytes label = text("label"), seed = text("seed of some length");
  const auto prf = [&](vsh_prf_algorithm algorithm, const Bytes& with_label, size_t len) {
    Bytes out(len);
    EXPECT_EQ(vsh_prf(out.data(), len, algorithm, kKey.data(), 32, with_label.data(), with_label.size(), seed.data(),
                      seed.size(), nullptr),
              VSH_OK);
    return out;
  };
  for (const unsigned bits : {256u, 512u}) {
    const bool is256 = bits == 256;
    const size_t len = bits / 8 * 3 + 5;
    Bytes tls, a = label + seed, keymat, t, prfplus, u;
    for (uint8_t i = 1; tls.size() < len; ++i) {
      a = text_hmac(bits, kKey, a);
      tls = tls + text_hmac(bits, kKey, a + label + seed);
      t = text_hmac(bits, kKey, t + seed);
      keymat = keymat + t;
      u = text_hmac(bits, kKey, u + seed + Bytes{i});
      prfplus = prfplus + u;
    }
    tls.resize(len), keymat.resize(len), prfplus.resize(len);
    EXPECT_EQ(prf(is256 ? VSH_PRF_TLS_256 : VSH_PRF_TLS_512, label, len), tls);
    EXPECT_EQ(prf(is256 ? VSH_PRF_IPSEC_KEYMAT_256 : VSH_PRF_IPSEC_KEYMAT_512, {}, len), keymat);
    EXPECT_EQ(prf(is256 ? VSH_PRF_IPSEC_PRFPLUS_256 : VSH_PRF_IPSEC_PRFPLUS_512, {}, len), prfplus);
  }
}

TEST(Prf, NamesAndRefusals) {
  for (size_t i = 0; vsh_prf_name(i); ++i) {
    vsh_prf_algorithm algorithm;
    ASSERT_EQ(vsh_prf_by_name(&algorithm, vsh_prf_name(i)), VSH_OK);
    EXPECT_EQ(algorithm, i + 1);
  }
  EXPECT_EQ(vsh_prf_name(6), nullptr);
  vsh_prf_algorithm algorithm;
  EXPECT_EQ(vsh_prf_by_name(&algorithm, "kdf"), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_prf_by_name(&algorithm, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_prf_by_name(nullptr, "prf-tls-256"), VSH_E_ARGUMENT);

  Bytes out(256 * 64, 0xaa);
  const auto call = [&](vsh_prf_algorithm a, size_t len, size_t label_len = 0) {
    return vsh_prf(out.data(), len, a, kKey.data(), 32, kKey.data(), label_len, kKey.data(), 32, nullptr);
  };
  EXPECT_EQ(call(static_cast<vsh_prf_algorithm>(7), 32), VSH_E_ARGUMENT);
  EXPECT_EQ(call(VSH_PRF_TLS_256, 0), VSH_E_PARAMETERS);
  EXPECT_EQ(call(VSH_PRF_IPSEC_PRFPLUS_256, 255 * 32 + 1), VSH_E_PARAMETERS);
  EXPECT_EQ(call(VSH_PRF_IPSEC_PRFPLUS_512, 255 * 64 + 1), VSH_E_PARAMETERS);
  EXPECT_EQ(call(VSH_PRF_IPSEC_KEYMAT_256, 32, 1), VSH_E_PARAMETERS);
  EXPECT_EQ(out, Bytes(256 * 64, 0xaa)) << "untouched";
  EXPECT_EQ(call(VSH_PRF_IPSEC_PRFPLUS_256, 255 * 32), VSH_OK);
}

Bytes kdf(const Bytes& key, const char* label, const Bytes& seed) {
  return text_kdf_tree(key, 1, text(label), seed, 32, {1, 0});
}

// The constants of RFC 9189 8.1.1 and RFC 9367 4.1.2 and 4.1.3, written independently.
struct Suite {
  const char* name;
  uint64_t c1, c2, c3, max;
};
constexpr Suite kSuites[] = {
    {"kuznyechik-ctr-omac", 0xFFFFFFFF00000000, 0xFFFFFFFFFFF80000, 0xFFFFFFFFFFFFFFC0, UINT64_MAX},
    {"magma-ctr-omac", 0xFFFFFFC000000000, 0xFFFFFFFFFE000000, 0xFFFFFFFFFFFFF000, UINT64_MAX},
    {"kuznyechik-mgm-l", 0xf800000000000000, 0xfffffff000000000, 0xffffffffffffe000, UINT64_MAX},
    {"magma-mgm-l", 0xffe0000000000000, 0xffffffffc0000000, 0xffffffffffffff80, UINT64_MAX},
    {"kuznyechik-mgm-s", 0xffffffffe0000000, 0xffffffffffff0000, 0xfffffffffffffff8, 0x3ffffffffff},
    {"magma-mgm-s", 0xfffffffffc000000, 0xffffffffffffe000, 0xffffffffffffffff, 0x7fffffffff}};

// One tree queried in any order: its cache of the last key must never affect the next.
TEST(TlsTree, AnyOrderIsTheDefinition) {
  Random random(5);
  for (const Suite& s : kSuites) {
    vsh_tlstree_suite suite;
    ASSERT_EQ(vsh_tlstree_by_name(&suite, s.name), VSH_OK);
    EXPECT_EQ(vsh_tlstree_records(suite), ~s.c3 + 1);
    EXPECT_EQ(s.c1 & s.c2 & s.c3, s.c1);  // so that a key of level 3 belongs to one of each level above
    EXPECT_EQ(s.c2 & s.c3, s.c2);
    vsh_tlstree* tree = nullptr;
    ASSERT_EQ(vsh_tlstree_new(&tree, suite, kKey.data(), 32, nullptr), VSH_OK);
    uint64_t i = 0;
    for (int n = 0; n < 40; ++n) {
      Bytes key(32);
      ASSERT_EQ(vsh_tlstree_key(tree, key.data(), 32, i), VSH_OK) << i;
      const Bytes level2 = kdf(kdf(kKey, "level1", be(i & s.c1, 8)), "level2", be(i & s.c2, 8));
      EXPECT_EQ(key, kdf(level2, "level3", be(i & s.c3, 8))) << s.name << ' ' << i;
      switch (random.below(5)) {
        case 0: ++i; break;
        case 1: i ^= uint64_t{1} << random.below(39); break;
        case 2: i = ~s.c3 & s.max; break;
        case 3: i = s.max - (i & 1); break;
        default: i = (i * 0x9e3779b97f4a7c15 + 1) & s.max; break;
      }
      i = std::min(i, s.max);
    }
    Bytes key(32, 0xaa);
    if (s.max < UINT64_MAX) {
      EXPECT_EQ(vsh_tlstree_key(tree, key.data(), 32, s.max + 1), VSH_E_LIMIT);
    }
    EXPECT_EQ(vsh_tlstree_key(tree, key.data(), 31, 0), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_tlstree_key(tree, nullptr, 32, 0), VSH_E_ARGUMENT);
    EXPECT_EQ(key, Bytes(32, 0xaa));
    vsh_tlstree_free(tree);
  }
}

TEST(TlsTree, Refuses) {
  vsh_tlstree* tree = nullptr;
  const auto call = [&](int suite, size_t len) {
    return vsh_tlstree_new(&tree, static_cast<vsh_tlstree_suite>(suite), kKey.data(), len, nullptr);
  };
  EXPECT_EQ(call(0, 32), VSH_E_ARGUMENT);
  EXPECT_EQ(call(7, 32), VSH_E_ARGUMENT);
  EXPECT_EQ(call(1, 31), VSH_E_KEY_LENGTH);
  EXPECT_EQ(vsh_tlstree_new(&tree, VSH_TLSTREE_MAGMA_MGM_L, nullptr, 32, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_tlstree_new(nullptr, VSH_TLSTREE_MAGMA_MGM_L, kKey.data(), 32, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(tree, nullptr);
  Bytes key(32);
  EXPECT_EQ(vsh_tlstree_key(nullptr, key.data(), 32, 0), VSH_E_ARGUMENT);
  vsh_tlstree_suite suite;
  EXPECT_EQ(vsh_tlstree_by_name(&suite, "magma-mgm"), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_tlstree_by_name(&suite, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_tlstree_name(6), nullptr);
  for (const int none : {0, 7, -1}) EXPECT_EQ(vsh_tlstree_records(static_cast<vsh_tlstree_suite>(none)), 0u) << none;
  vsh_tlstree_free(nullptr);
}

TEST(EspTree, AnyOrderIsTheDefinition) {
  Random random(6);
  vsh_esptree* tree = nullptr;
  ASSERT_EQ(vsh_esptree_new(&tree, kKey.data(), 31, nullptr), VSH_E_KEY_LENGTH);
  ASSERT_EQ(vsh_esptree_new(nullptr, kKey.data(), 32, nullptr), VSH_E_ARGUMENT);
  ASSERT_EQ(vsh_esptree_new(&tree, kKey.data(), 32, nullptr), VSH_OK);
  uint8_t i1 = 0;
  uint16_t i2 = 0, i3 = 0;
  Bytes key(32);
  for (int n = 0; n < 40; ++n) {
    ASSERT_EQ(vsh_esptree_key(tree, key.data(), 32, i1, i2, i3), VSH_OK);
    EXPECT_EQ(key, kdf(kdf(kdf(kKey, "level1", {0, i1}), "level2", be(i2, 2)), "level3", be(i3, 2)));
    switch (random.below(4)) {
      case 0: i1 = static_cast<uint8_t>(random.below(256)); break;
      case 1: i2 = static_cast<uint16_t>(random.below(65536)); break;
      case 2: ++i3; break;
      default: break;
    }
  }
  EXPECT_EQ(vsh_esptree_key(tree, key.data(), 33, 0, 0, 0), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esptree_key(nullptr, key.data(), 32, 0, 0, 0), VSH_E_ARGUMENT);
  vsh_esptree_free(tree);
  vsh_esptree_free(nullptr);
}

}  // namespace
}  // namespace vsh::test
