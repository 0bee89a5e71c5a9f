// Digests and MACs, and OpenSSL's constructions over the digests; key derivation.
#include <algorithm>
#include <utility>

#include "openssl/support/evp.hpp"
#include "support/vec.hpp"

namespace vsh::test::evp {
namespace {

constexpr struct DigestName {
  const char* names[3];
  vsh_hash_algorithm algorithm;
  int block;
} kDigests[] = {{{"md_gost12_256", "streebog256", "1.2.643.7.1.1.2.2"}, VSH_STREEBOG256, 64},
                {{"md_gost12_512", "streebog512", "1.2.643.7.1.1.2.3"}, VSH_STREEBOG512, 64},
                {{"md_gost94", "id-GostR3411-94", "1.2.643.2.2.9"}, VSH_GOST94_CRYPTOPRO, 32}};

Bytes digest(const Library& library, const char* name, const Bytes& in) {
  const Md md = library.md(name);
  Bytes out(EVP_MAX_MD_SIZE);
  unsigned len = 0;
  EXPECT_TRUE(md && EVP_Digest(in.data(), in.size(), out.data(), &len, md.get(), nullptr)) << name << errors();
  out.resize(len);
  return out;
}

TEST(EvpDigest, Lengths) {
  for (const DigestName& n : kDigests)
    for (const size_t len : {0, 1, 31, 32, 63, 64, 65, 128, 5000}) {
      const Bytes in = Random(len).bytes(len);
      Bytes expected(vsh_hash_len(n.algorithm));
      ASSERT_EQ(vsh_hash_digest(expected.data(), expected.size(), n.algorithm, in.data(), len, nullptr), VSH_OK);
      for (const char* name : n.names) EXPECT_EQ(digest(vershina(), name, in), expected) << name << " " << len;
      if (!gostprov().missing().empty() || (len == 0 && n.algorithm == VSH_GOST94_CRYPTOPRO)) continue;  // wrong there
      EXPECT_EQ(digest(gostprov(), n.names[0], in), expected) << n.names[0] << " " << len;
    }
}

TEST(EvpDigest, PiecesAndCopies) {
  const Bytes in = Random(30).bytes(700);
  for (const DigestName& n : kDigests) {
    const Bytes expected = digest(vershina(), n.names[0], in);
    const Md md = vershina().md(n.names[0]);
    EXPECT_EQ(EVP_MD_get_block_size(md.get()), n.block);
    for (size_t cut = 0; cut <= in.size(); cut += 7) {
      MdCtx c(EVP_MD_CTX_new());
      const MdCtx copy(EVP_MD_CTX_new());
      Bytes out(expected.size());
      ASSERT_TRUE(EVP_DigestInit_ex2(c.get(), md.get(), nullptr) && EVP_DigestUpdate(c.get(), in.data(), cut));
      ASSERT_TRUE(EVP_MD_CTX_copy_ex(copy.get(), c.get())) << errors();
      ASSERT_TRUE(EVP_DigestUpdate(c.get(), in.data(), 99));
      c.reset();
      ASSERT_TRUE(EVP_DigestUpdate(copy.get(), in.data() + cut, in.size() - cut) &&
                  EVP_DigestFinal_ex(copy.get(), out.data(), nullptr));
      EXPECT_EQ(out, expected) << n.names[0] << " " << cut;
      ASSERT_TRUE(EVP_DigestInit_ex2(copy.get(), nullptr, nullptr) &&
                  EVP_DigestUpdate(copy.get(), in.data(), in.size()) &&
                  EVP_DigestFinal_ex(copy.get(), out.data(), nullptr))
          << errors();
      EXPECT_EQ(out, expected) << "again";
    }
  }
}

// ---- MACs

constexpr struct MacName {
  const char* name;
  vsh_mac_algorithm algorithm;
  size_t size;
  bool in_gostprov;
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;
} kMacs[] = {
    {"kuznyechik-mac", VSH_KUZNYECHIK_MAC, 16, true},
    {"magma-mac", VSH_MAGMA_MAC, 8, true},
    {"gost-mac", VSH_GOST28147_IMIT, 4, true, VSH_SBOX_CRYPTOPRO_A, VSH_MESHING_CRYPTOPRO},
    {"gost-mac-12", VSH_GOST28147_IMIT, 4, true, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO},
    {"kuznyechik-ctr-acpkm-omac", VSH_KUZNYECHIK_OMAC_ACPKM, 16, true},
    {"magma-ctr-acpkm-omac", VSH_MAGMA_OMAC_ACPKM, 8, false},  // there, but Debian's has no such name
    {"kuznyechik-omac-acpkm", VSH_KUZNYECHIK_OMAC_ACPKM, 16, false},
};

Bytes tag_of(EVP_MAC_CTX* c, const Bytes& in) {
  Bytes tag(64);
  size_t len = 0;
  EXPECT_TRUE(EVP_MAC_update(c, in.data(), in.size()) && EVP_MAC_final(c, tag.data(), &len, tag.size())) << errors();
  tag.resize(len);
  return tag;
}

MacCtx keyed(const Library& library, const char* name, const OSSL_PARAM* params = nullptr) {
  const Mac mac = library.mac(name);
  EXPECT_TRUE(mac) << name << errors();
  MacCtx c(EVP_MAC_CTX_new(mac.get()));
  EXPECT_TRUE(EVP_MAC_init(c.get(), kKey.data(), 32, params)) << name << errors();
  return c;
}

Bytes reference(const MacName& n, const Bytes& in, size_t size) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.sbox = n.sbox;
  o.key_meshing = n.meshing;
  vsh_mac* c = nullptr;
  Bytes tag(size);
  EXPECT_EQ(vsh_mac_new(&c, n.algorithm, kKey.data(), 32, &o), VSH_OK);
  EXPECT_EQ(vsh_mac_update(c, in.data(), in.size()), VSH_OK);
  EXPECT_EQ(vsh_mac_final(c, tag.data(), size), VSH_OK);
  vsh_mac_free(c);
  return tag;
}

TEST(EvpMac, IsTheLibrarysAndGostprovs) {
  for (const MacName& n : kMacs)
    for (const size_t len : {1, 7, 8, 16, 17, 1024, 1025, 4097, 9000}) {
      SCOPED_TRACE(std::string(n.name) + " " + std::to_string(len));
      const Bytes in = Random(len).bytes(len), expected = reference(n, in, n.size);
      EXPECT_EQ(tag_of(keyed(vershina(), n.name).get(), in), expected);
      const bool can_compare = n.in_gostprov && gostprov().missing().empty();
      EXPECT_TRUE(!can_compare || tag_of(keyed(gostprov(), n.name).get(), in) == expected);
    }
}

TEST(EvpMac, SizesCopiesAndInit) {
  const Bytes in = Random(31).bytes(5000);
  for (const MacName& n : kMacs) {
    SCOPED_TRACE(n.name);
    for (size_t size = 1; size <= vsh_mac_max_len(n.algorithm); ++size) {
      const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end()};
      const MacCtx c = keyed(vershina(), n.name, params);
      EXPECT_EQ(EVP_MAC_CTX_get_mac_size(c.get()), size);
      EXPECT_EQ(tag_of(c.get(), in), reference(n, in, size));
    }
    size_t wrong = vsh_mac_max_len(n.algorithm) + 1;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("size", &wrong), OSSL_PARAM_construct_end()};
    EXPECT_FALSE(EVP_MAC_CTX_set_params(keyed(vershina(), n.name).get(), params));

    MacCtx c = keyed(vershina(), n.name);
    for (const size_t cut : {0, 1, 1030, 4999}) {
      ASSERT_TRUE(EVP_MAC_init(c.get(), nullptr, 0, nullptr)) << errors();  // the same key
      ASSERT_TRUE(EVP_MAC_update(c.get(), in.data(), cut));
      const MacCtx copy(EVP_MAC_CTX_dup(c.get()));
      ASSERT_TRUE(copy) << errors();
      ASSERT_TRUE(EVP_MAC_update(c.get(), in.data(), 50));
      EXPECT_EQ(tag_of(copy.get(), Bytes(in.begin() + static_cast<long>(cut), in.end())), reference(n, in, n.size))
          << cut;
    }
    const Mac mac = vershina().mac(n.name);
    const MacCtx no_key(EVP_MAC_CTX_new(mac.get()));
    EXPECT_TRUE(EVP_MAC_init(no_key.get(), nullptr, 0, nullptr));
    EXPECT_FALSE(EVP_MAC_update(no_key.get(), in.data(), 1));
    EXPECT_FALSE(EVP_MAC_init(no_key.get(), kKey.data(), 31, nullptr));
    EXPECT_NE(errors().find("no key is set"), std::string::npos);
  }
}

// ---- OpenSSL's HMAC and KDFs over our digests

Bytes derive(const Library& library, const char* name, const OSSL_PARAM* params, size_t len) {
  const Kdf kdf = library.kdf(name);
  EXPECT_TRUE(kdf) << name << errors();
  const KdfCtx c(EVP_KDF_CTX_new(kdf.get()));
  Bytes out(len);
  EXPECT_TRUE(EVP_KDF_derive(c.get(), out.data(), len, params)) << name << errors();
  return out;
}

OSSL_PARAM octets(const char* name, const Bytes& bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<uint8_t*>(bytes.data()), bytes.size());
}
OSSL_PARAM text(const char* name, const char* value) {
  return OSSL_PARAM_construct_utf8_string(name, const_cast<char*>(value), 0);
}

TEST(EvpOverDigests, HmacAndPbkdf2Examples) {
  for (const auto& r : vec::read("kdf.vec", "hmac", {"Bits", "Key", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const std::string md = "md_gost12_" + std::to_string(r.number("Bits"));
    const Bytes key = r.bytes("Key"), in = r.bytes("In");
    Bytes out(64);
    size_t len = 0;
    ASSERT_TRUE(EVP_Q_mac(vershina().context(), "HMAC", nullptr, md.c_str(), nullptr, key.data(), key.size(), in.data(),
                          in.size(), out.data(), out.size(), &len))
        << errors();
    out.resize(len);
    EXPECT_EQ(out, r.bytes("Out"));
  }
  for (const auto& r : vec::read("kdf.vec", "pbkdf2", {"Password", "Salt", "Iterations", "Out"})) {
    if (r.number("Iterations") > 10000) continue;
    SCOPED_TRACE(r.where());
    // Not PKCS5_PBKDF2_HMAC: it fetches the digest by name from the default library context, not from the provider's.
    unsigned iterations = static_cast<unsigned>(r.number("Iterations"));
    const Bytes password = r.bytes("Password"), salt = r.bytes("Salt");
    const OSSL_PARAM params[] = {text("digest", "md_gost12_512"), octets("pass", password), octets("salt", salt),
                                 OSSL_PARAM_construct_uint("iter", &iterations), OSSL_PARAM_construct_end()};
    EXPECT_EQ(derive(vershina(), "PBKDF2", params, r.bytes("Out").size()), r.bytes("Out"));
  }
}

TEST(EvpOverDigests, KdfsAreThoseOverGostprov) {
  VSH_NEEDS_GOSTPROV();
  const Bytes salt = Random(32).bytes(16);
  int id = 1;
  unsigned iterations = 50;
  for (const char* md : {"md_gost12_256", "md_gost12_512", "md_gost94"}) {
    const OSSL_PARAM params[] = {text("digest", md),
                                 octets("key", kKey),
                                 octets("pass", kKey),
                                 octets("salt", salt),
                                 octets("info", salt),
                                 octets("seed", salt),
                                 octets("secret", kKey),
                                 OSSL_PARAM_construct_int("id", &id),
                                 OSSL_PARAM_construct_uint("iter", &iterations),
                                 OSSL_PARAM_construct_end()};
    for (const char* kdf : {"HKDF", "PKCS12KDF", "PBKDF2", "TLS1-PRF"})
      EXPECT_EQ(derive(vershina(), kdf, params, 100), derive(gostprov(), kdf, params, 100)) << kdf << " " << md;
  }
}

// ---- The key schedule of TLS 1.3 (RFC 8446 7.1) over Streebog, by OpenSSL's HKDF and TLS13-KDF

Bytes kdf_with_mode(const char* kdf, int mode, std::vector<OSSL_PARAM> params, size_t len) {
  params.insert(params.begin(), {OSSL_PARAM_construct_int("mode", &mode), text("digest", "md_gost12_256")});
  params.push_back(OSSL_PARAM_construct_end());
  return derive(vershina(), kdf, params.data(), len);
}

// struct { uint16 length; opaque label<7..255>; opaque context<0..255>; } HkdfLabel
Bytes hkdf_label(size_t len, const Bytes& label, const Bytes& context) {
  const std::string text = "tls13 " + std::string(label.begin(), label.end());
  const std::string info = std::string(1, '\0') + static_cast<char>(len) + static_cast<char>(text.size()) + text +
                           static_cast<char>(context.size()) + std::string(context.begin(), context.end());
  return {info.begin(), info.end()};
}

TEST(EvpOverDigests, Tls13ScheduleOfRfc9367) {
  const Bytes prefix = {'t', 'l', 's', '1', '3', ' '}, derived = {'d', 'e', 'r', 'i', 'v', 'e', 'd'};
  const Bytes empty_hash = digest(vershina(), "md_gost12_256", {});
  for (const auto& r : vec::read("records.vec", "tls13-extract", {"Salt", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes earlier = r.bytes("Salt"), in = r.bytes("In"), expected = r.bytes("Out");
    std::vector<OSSL_PARAM> params = {octets("key", in), octets("prefix", prefix), octets("label", derived)};
    if (!earlier.empty()) params.push_back(octets("salt", earlier));
    EXPECT_EQ(kdf_with_mode("TLS13-KDF", EVP_KDF_HKDF_MODE_EXTRACT_ONLY, params, 32), expected);
    const Bytes info = hkdf_label(32, derived, empty_hash);
    const Bytes salt = earlier.empty() ? Bytes(32)
                                       : kdf_with_mode("HKDF", EVP_KDF_HKDF_MODE_EXPAND_ONLY,
                                                       {octets("key", earlier), octets("info", info)}, 32);
    EXPECT_EQ(kdf_with_mode("HKDF", EVP_KDF_HKDF_MODE_EXTRACT_ONLY, {octets("key", in), octets("salt", salt)}, 32),
              expected);
  }
  for (const auto& r : vec::read("records.vec", "tls13-expand", {"Key", "Label", "Seed", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes key = r.bytes("Key"), label = r.bytes("Label"), context = r.bytes("Seed"), expected = r.bytes("Out");
    std::vector<OSSL_PARAM> params = {octets("key", key), octets("prefix", prefix), octets("label", label)};
    if (!context.empty()) params.push_back(octets("data", context));
    EXPECT_EQ(kdf_with_mode("TLS13-KDF", EVP_KDF_HKDF_MODE_EXPAND_ONLY, params, expected.size()), expected);
    const Bytes info = hkdf_label(expected.size(), label, context);
    EXPECT_EQ(kdf_with_mode("HKDF", EVP_KDF_HKDF_MODE_EXPAND_ONLY, {octets("key", key), octets("info", info)},
                            expected.size()),
              expected);
  }
}

// A transcript: hashes of all messages so far, each of a copy that ends, while the context goes on. Copies of copies,
// of contexts without a byte, and of ended ones.
TEST(EvpDigest, TranscriptHashes) {
  const Bytes in = Random(34).bytes(3000);
  for (const char* name : {"md_gost12_256", "md_gost12_512"}) {
    const Md md = vershina().md(name);
    MdCtx c(EVP_MD_CTX_new());
    const MdCtx fresh(EVP_MD_CTX_new()), copy(EVP_MD_CTX_new());
    ASSERT_TRUE(EVP_DigestInit_ex2(c.get(), md.get(), nullptr));
    Bytes out(static_cast<size_t>(EVP_MD_get_size(md.get())));
    size_t done = 0;
    Random random(35);
    while (done < in.size()) {
      // Into a context that is new, or holds an ended hash; and sometimes the copy is what goes on.
      ASSERT_TRUE(EVP_MD_CTX_copy_ex(copy.get(), c.get())) << errors();
      ASSERT_TRUE(EVP_DigestFinal_ex(copy.get(), out.data(), nullptr)) << errors();
      ASSERT_EQ(out, digest(vershina(), name, Bytes(in.begin(), in.begin() + static_cast<long>(done)))) << done;
      if (random.below(3) == 0) {
        MdCtx next(EVP_MD_CTX_new());
        ASSERT_TRUE(EVP_MD_CTX_copy_ex(next.get(), c.get())) << errors();
        c = std::move(next);
      }
      const size_t len = std::min(in.size() - done, random.below(130));
      ASSERT_TRUE(EVP_DigestUpdate(c.get(), in.data() + done, len));
      done += len;
    }
    // A copy of an ended context, then begun again.
    const MdCtx after(EVP_MD_CTX_new());
    ASSERT_TRUE(EVP_MD_CTX_copy_ex(after.get(), copy.get())) << errors();
    ASSERT_TRUE(EVP_DigestInit_ex2(after.get(), nullptr, nullptr) && EVP_DigestUpdate(after.get(), in.data(), 65) &&
                EVP_DigestFinal_ex(after.get(), out.data(), nullptr))
        << errors();
    EXPECT_EQ(out, digest(vershina(), name, Bytes(in.begin(), in.begin() + 65)));
    EXPECT_FALSE(EVP_DigestUpdate(after.get(), in.data(), 1) && EVP_DigestFinal_ex(after.get(), out.data(), nullptr) &&
                 out == digest(vershina(), name, Bytes(in.begin(), in.begin() + 66)));
    errors();
  }
}

// ---- Our KDFs

TEST(EvpKdf, Tree) {
  for (const auto& r : vec::read("kdf.vec", "kdf-tree", {"CounterLen", "Key", "Label", "Seed", "Out"})) {
    SCOPED_TRACE(r.where());
    size_t counter_len = r.number("CounterLen");
    const Bytes key = r.bytes("Key"), label = r.bytes("Label"), seed = r.bytes("Seed"), expected = r.bytes("Out");
    const OSSL_PARAM params[] = {octets("key", key), octets("label", label), octets("seed", seed),
                                 OSSL_PARAM_construct_size_t("r", &counter_len), OSSL_PARAM_construct_end()};
    EXPECT_EQ(derive(vershina(), "KDF-TREE", params, expected.size()), expected);
    const Kdf kdf = vershina().kdf("KDF-TREE");
    KdfCtx c(EVP_KDF_CTX_new(kdf.get()));
    ASSERT_TRUE(EVP_KDF_CTX_set_params(c.get(), params));
    const KdfCtx copy(EVP_KDF_CTX_dup(c.get()));
    EVP_KDF_CTX_reset(c.get());
    Bytes out(expected.size());
    EXPECT_FALSE(EVP_KDF_derive(c.get(), out.data(), out.size(), nullptr));
    ASSERT_TRUE(EVP_KDF_derive(copy.get(), out.data(), out.size(), nullptr)) << errors();
    EXPECT_EQ(out, expected);
    counter_len = 5;
    EXPECT_FALSE(EVP_KDF_derive(copy.get(), out.data(), out.size(), params));
    errors();
  }
}

TEST(EvpKdf, Tlstree) {
  for (const auto& r : vec::read("kdf.vec", "tlstree", {"Suite", "Key", "Seqnum", "Out"})) {
    SCOPED_TRACE(r.where());
    uint64_t seqnum = r.number("Seqnum");
    const Bytes key = r.bytes("Key");
    const OSSL_PARAM params[] = {octets("key", key), text("suite", r.word("Suite").c_str()),
                                 OSSL_PARAM_construct_uint64("seqnum", &seqnum), OSSL_PARAM_construct_end()};
    EXPECT_EQ(derive(vershina(), "TLSTREE", params, 32), r.bytes("Out"));
  }
  const Kdf kdf = vershina().kdf("TLSTREE");
  const KdfCtx c(EVP_KDF_CTX_new(kdf.get()));
  const OSSL_PARAM wrong[] = {text("suite", "aes"), OSSL_PARAM_construct_end()};
  EXPECT_FALSE(EVP_KDF_CTX_set_params(c.get(), wrong));
  uint8_t out[32];
  EXPECT_FALSE(EVP_KDF_derive(c.get(), out, sizeof out, nullptr));  // no key
  errors();
}

}  // namespace
}  // namespace vsh::test::evp
