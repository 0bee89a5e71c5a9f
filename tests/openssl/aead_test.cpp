// EVP ciphers with authentication, and key wraps.
#include <algorithm>

#include "openssl/support/evp.hpp"
#include "support/vec.hpp"

namespace vsh::test::evp {
namespace {

constexpr struct AeadName {
  const char* name;
  vsh_aead_algorithm algorithm;
  bool takes_data;
  size_t iv_len() const { return vsh_aead_nonce_len(algorithm); }
  size_t tag_len() const { return vsh_aead_max_tag_len(algorithm); }
} kAeads[] = {{"kuznyechik-mgm", VSH_KUZNYECHIK_MGM, true},
              {"magma-mgm", VSH_MAGMA_MGM, true},
              {"kuznyechik-ctr-acpkm-omac", VSH_KUZNYECHIK_CTR_ACPKM_OMAC, false},
              {"magma-ctr-acpkm-omac", VSH_MAGMA_CTR_ACPKM_OMAC, false}};

const Bytes kNonce = [] {
  Bytes nonce = kIv;
  nonce[0] &= 0x7f;
  return nonce;
}();

bool add_data(EVP_CIPHER_CTX* c, const uint8_t* data, size_t len) {
  int written = 0;
  return EVP_CipherUpdate(c, nullptr, &written, data, static_cast<int>(len)) && written == static_cast<int>(len);
}
bool get_tag(EVP_CIPHER_CTX* c, Bytes& tag) {
  return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()), tag.data()) > 0;
}
bool set_tag(EVP_CIPHER_CTX* c, Bytes tag) {
  return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()), tag.data()) > 0;
}

struct Message {
  Bytes data, text, sealed, tag;
};

// By the C ABI.
Message message(const AeadName& n, size_t data_len, size_t text_len) {
  Message m{Random(20).bytes(n.takes_data ? data_len : 0), Random(21).bytes(text_len), Bytes(text_len),
            Bytes(n.tag_len())};
  vsh_aead* c = nullptr;
  EXPECT_EQ(vsh_aead_new(&c, n.algorithm, kKey.data(), 32, 0, nullptr), VSH_OK);
  EXPECT_EQ(vsh_aead_seal_apart(c, m.sealed.data(), m.tag.data(), m.tag.size(), kNonce.data(), n.iv_len(),
                                m.data.data(), m.data.size(), m.text.data(), text_len),
            VSH_OK);
  vsh_aead_free(c);
  return m;
}

TEST(EvpAead, ObjectIdentifiers) {
  const char* const names[][2] = {{"kuznyechik-mgm", "1.2.643.7.1.1.5.2.3"},
                                  {"magma-mgm", "1.2.643.7.1.1.5.1.3"},
                                  {"kuznyechik-ctr-acpkm-omac", "1.2.643.7.1.1.5.2.2"},
                                  {"magma-ctr-acpkm-omac", "1.2.643.7.1.1.5.1.2"}};
  for (const auto& [name, identifier] : names) {
    const Cipher cipher = vershina().cipher(identifier);
    ASSERT_TRUE(cipher) << identifier << errors();
    EXPECT_STREQ(EVP_CIPHER_get0_name(cipher.get()), name);
  }
}

TEST(EvpAead, RfcExamples) {
  for (const char* section : {"kuznyechik", "magma"})
    for (const auto& r : vec::read("mgm.vec", section, {"Key", "Nonce", "Aad", "In", "Out", "Tag"})) {
      SCOPED_TRACE(r.where());
      const Bytes data = r.bytes("Aad"), in = r.bytes("In");
      const CipherCtx c =
          start(vershina(), (std::string(section) + "-mgm").c_str(), true, r.bytes("Key"), r.bytes("Nonce"));
      ASSERT_TRUE(data.empty() || add_data(c.get(), data.data(), data.size())) << errors();
      EXPECT_EQ(crypt(c.get(), in), r.bytes("Out"));
      Bytes tag(r.bytes("Tag").size());
      ASSERT_TRUE(get_tag(c.get(), tag)) << errors();
      EXPECT_EQ(tag, r.bytes("Tag"));
    }
}

TEST(EvpAead, PiecesCopiesAndInPlace) {
  Random random(22);
  for (const AeadName& n : kAeads)
    for (const bool encrypt : {true, false})
      for (const size_t most : {1, 7, 16, 17, 100, 3000}) {
        SCOPED_TRACE(std::string(n.name) + (encrypt ? " encrypts " : " decrypts ") + std::to_string(most));
        const Message m = message(n, 150, 4500);
        Bytes buffer = encrypt ? m.text : m.sealed, tag(n.tag_len());
        CipherCtx c = start(vershina(), n.name, encrypt, kKey, kNonce);
        const auto go_on_with_copy = [&] {
          CipherCtx copy(EVP_CIPHER_CTX_new());
          ASSERT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), c.get())) << errors();
          Bytes other;
          ASSERT_TRUE(update(c.get(), other, m.text.data(), 33));  // the original goes another way
          c = std::move(copy);
        };
        for (size_t done = 0, len; done < m.data.size(); done += len) {
          len = std::min(m.data.size() - done, 1 + random.below(most));
          ASSERT_TRUE(add_data(c.get(), m.data.data() + done, len)) << errors();
          if (random.below(10) == 0) go_on_with_copy();
        }
        for (size_t done = 0, len; done < buffer.size(); done += len) {
          len = std::min(buffer.size() - done, 1 + random.below(most));
          int written = 0;
          uint8_t* const p = buffer.data() + done;
          ASSERT_TRUE(EVP_CipherUpdate(c.get(), p, &written, p, static_cast<int>(len))) << errors();
          if (random.below(100) == 0) go_on_with_copy();
        }
        ASSERT_TRUE(encrypt || set_tag(c.get(), m.tag)) << errors();
        go_on_with_copy();
        Bytes none;
        ASSERT_TRUE(final(c.get(), none)) << errors();
        EXPECT_EQ(buffer, encrypt ? m.sealed : m.text);
        if (!encrypt) continue;
        ASSERT_TRUE(get_tag(c.get(), tag)) << errors();
        EXPECT_EQ(tag, m.tag);
      }
}

TEST(EvpAead, ForgeriesAreRefused) {
  for (const AeadName& n : kAeads) {
    SCOPED_TRACE(n.name);
    const Message m = message(n, 20, 100);
    const auto opens = [&](const Bytes& data, const Bytes& sealed, const Bytes& tag, const Bytes& nonce,
                           const Bytes& key) {
      const CipherCtx c = start(vershina(), n.name, false, key, nonce);
      Bytes out;
      EXPECT_TRUE(set_tag(c.get(), tag)) << errors();
      EXPECT_TRUE(data.empty() || add_data(c.get(), data.data(), data.size()));
      EXPECT_TRUE(update(c.get(), out, sealed.data(), sealed.size()));
      return final(c.get(), out);
    };
    const auto changed = [](Bytes b, size_t i) {
      b[i] ^= 1;
      return b;
    };
    EXPECT_TRUE(opens(m.data, m.sealed, m.tag, kNonce, kKey)) << errors();
    for (size_t i = 0; i < m.tag.size(); ++i) EXPECT_FALSE(opens(m.data, m.sealed, changed(m.tag, i), kNonce, kKey));
    EXPECT_NE(errors().find(vsh_status_message(VSH_E_TAG)), std::string::npos);
    EXPECT_FALSE(opens(m.data, changed(m.sealed, 99), m.tag, kNonce, kKey));
    EXPECT_FALSE(opens(m.data, m.sealed, m.tag, changed(kNonce, n.iv_len() - 1), kKey));
    EXPECT_FALSE(opens(m.data, m.sealed, m.tag, kNonce, changed(kKey, 31)));
    EXPECT_FALSE(n.takes_data && opens(changed(m.data, 0), m.sealed, m.tag, kNonce, kKey));
    errors();
  }
}

TEST(EvpAead, TagLengths) {
  const Message m = message(kAeads[0], 20, 100);
  const auto open_with = [&](Bytes tag, bool length_first) {
    const CipherCtx c = start(vershina(), "kuznyechik-mgm", false, kKey, kNonce);
    Bytes out;
    if (length_first && !set_tag(c.get(), tag)) return false;
    return add_data(c.get(), m.data.data(), m.data.size()) && update(c.get(), out, m.sealed.data(), m.sealed.size()) &&
           set_tag(c.get(), tag) && final(c.get(), out) && out == m.text;
  };
  for (size_t len = 0; len <= 17; ++len) {
    Bytes tag = m.tag;
    tag.resize(len);
    EXPECT_EQ(open_with(tag, true), len >= 8 && len <= 16) << len;
    EXPECT_EQ(open_with(tag, false), len == 16) << len;  // a shorter one has to be announced
  }
  errors();
  const CipherCtx c = start(vershina(), "kuznyechik-mgm", true, kKey, kNonce);
  ASSERT_TRUE(add_data(c.get(), m.data.data(), m.data.size()));
  crypt(c.get(), m.text);
  Bytes tag(12);
  EXPECT_TRUE(get_tag(c.get(), tag));
  EXPECT_EQ(tag, Bytes(m.tag.begin(), m.tag.begin() + 12));
  tag.resize(7);
  EXPECT_FALSE(get_tag(c.get(), tag));
  EXPECT_FALSE(set_tag(c.get(), m.tag));  // encrypting
  errors();
}

TEST(EvpAead, ANonceServesOnce) {
  for (const AeadName& n : kAeads) {
    SCOPED_TRACE(n.name);
    const Message m = message(n, 20, 100);
    const CipherCtx c = start(vershina(), n.name, true, kKey, kNonce);
    Bytes out;
    ASSERT_TRUE(update(c.get(), out, m.text.data(), 100) && final(c.get(), out));
    EXPECT_FALSE(update(c.get(), out, m.text.data(), 100));
    EXPECT_NE(errors().find("no IV is set"), std::string::npos);
    EXPECT_TRUE(EVP_CipherInit_ex2(c.get(), nullptr, nullptr, nullptr, 1, nullptr));
    EXPECT_FALSE(update(c.get(), out, m.text.data(), 100));
    ASSERT_TRUE(EVP_CipherInit_ex2(c.get(), nullptr, nullptr, kNonce.data(), 1, nullptr));
    EXPECT_TRUE(update(c.get(), out, m.text.data(), 100) && final(c.get(), out));
    EXPECT_FALSE(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_IVLEN, 12 + (n.iv_len() == 12), nullptr) > 0);
    EXPECT_TRUE(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(n.iv_len()), nullptr) > 0);
    errors();
  }
}

// RFC 9058 4.1 excludes one bit from the nonce: ignoring it would map two IVs to a nonce.
TEST(EvpAead, FirstBitOfAnMgmNonceIsRefused) {
  Bytes nonce = kNonce;
  nonce[0] |= 0x80;
  for (const AeadName& n : kAeads) {
    SCOPED_TRACE(n.name);
    const bool is_mgm = n.takes_data;
    const Message m = message(n, 0, 64);
    for (const bool encrypt : {true, false}) {
      const Cipher cipher = vershina().cipher(n.name);
      const CipherCtx fresh(EVP_CIPHER_CTX_new()), c = start(vershina(), n.name, encrypt, kKey, kNonce);
      EXPECT_EQ(EVP_CipherInit_ex2(fresh.get(), cipher.get(), kKey.data(), nonce.data(), encrypt, nullptr), !is_mgm);
      EXPECT_EQ(EVP_CipherInit_ex2(c.get(), nullptr, nullptr, nonce.data(), encrypt, nullptr), !is_mgm);
      EXPECT_EQ(errors().find("ignore-first-bit = yes") != std::string::npos, is_mgm);
    }
  }
}

// An option of the configuration, as in gostprov.
TEST(EvpAead, FirstBitOfAnMgmNonceIsIgnoredByConfiguration) {
  Bytes nonce = kNonce;
  nonce[0] |= 0x80;
  const ConfiguredLibrary library("ignore-first-bit = yes");
  ASSERT_EQ(library.missing(), "");
  for (const AeadName& n : {kAeads[0], kAeads[1]}) {
    const Message m = message(n, 0, 64);
    for (const Bytes& iv : {kNonce, nonce}) {
      EXPECT_EQ(crypt(start(library, n.name, true, kKey, iv).get(), m.text), m.sealed);
      const CipherCtx c = start(library, n.name, false, kKey, iv);
      ASSERT_TRUE(set_tag(c.get(), m.tag));
      EXPECT_EQ(crypt(c.get(), m.sealed), m.text);
    }
  }
  const ConfiguredLibrary strict("ignore-first-bit = no");
  const Cipher cipher = strict.cipher("magma-mgm");
  ASSERT_TRUE(cipher) << strict.missing();
  const CipherCtx c(EVP_CIPHER_CTX_new());
  EXPECT_FALSE(EVP_EncryptInit_ex2(c.get(), cipher.get(), kKey.data(), nonce.data(), nullptr));
  errors();
  for (const char* value : {"true", "1", "Yes", "on", "maybe", "yes no"}) {
    const ConfiguredLibrary refused(std::string("ignore-first-bit = ") + value);
    EXPECT_NE(refused.missing().find(std::string("ignore-first-bit = ") + value), std::string::npos) << value;
    EXPECT_FALSE(refused.cipher("magma-mgm"));
    errors();
  }
}

TEST(EvpAead, NothingAtAllIsNoMgmMessage) {
  const CipherCtx c = start(vershina(), "magma-mgm", true, kKey, kNonce);
  Bytes out;
  EXPECT_FALSE(final(c.get(), out));
  errors();
}

// R 1323565.1.025-2019: the parameters of an AlgorithmIdentifier are SEQUENCE { ukm OCTET STRING }, and the UKM is the
// nonce.
TEST(EvpAead, OmacsNonceTravelsInCms) {
  for (const AeadName& n : {kAeads[2], kAeads[3]}) {
    const Message m = message(n, 0, 100);
    Bytes der(64), newer(64);
    Bytes expected = {0x30, static_cast<uint8_t>(n.iv_len() + 2), 0x04, static_cast<uint8_t>(n.iv_len())};
    expected.insert(expected.end(), kNonce.begin(), kNonce.begin() + static_cast<long>(n.iv_len()));
    // By the name of OpenSSL up to 3.3 and by that from 3.4 on, in one query as in OpenSSL 3.4.
    OSSL_PARAM both[] = {OSSL_PARAM_construct_octet_string("alg_id_param", der.data(), der.size()),
                         OSSL_PARAM_construct_octet_string("algorithm-id-params", newer.data(), newer.size()),
                         OSSL_PARAM_construct_end()};
    ASSERT_TRUE(EVP_CIPHER_CTX_get_params(start(vershina(), n.name, true, kKey, kNonce).get(), both)) << errors();
    ASSERT_TRUE(OSSL_PARAM_modified(&both[0]) && OSSL_PARAM_modified(&both[1]));
    der.resize(both[0].return_size);
    newer.resize(both[1].return_size);
    EXPECT_EQ(der, expected);
    EXPECT_EQ(newer, expected);

    for (const char* name : {"alg_id_param", "algorithm-id-params"}) {
      SCOPED_TRACE(name);
      const CipherCtx c = start(vershina(), n.name, false, kKey, Bytes(16, 1));
      OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, der.data(), der.size()),
                             OSSL_PARAM_construct_end()};
      ASSERT_TRUE(EVP_CIPHER_CTX_set_params(c.get(), params) && set_tag(c.get(), m.tag)) << errors();
      EXPECT_EQ(crypt(c.get(), m.sealed), m.text);
      for (size_t i = 0; i < 4; ++i) {  // hostile: another tag, another length, too short
        Bytes wrong = der;
        wrong[i] ^= 1;
        params[0] = OSSL_PARAM_construct_octet_string(name, wrong.data(), wrong.size());
        EXPECT_FALSE(EVP_CIPHER_CTX_set_params(c.get(), params));
        params[0] = OSSL_PARAM_construct_octet_string(name, der.data(), i);
        EXPECT_FALSE(EVP_CIPHER_CTX_set_params(c.get(), params));
      }
    }
    errors();
  }
}

TEST(EvpWrap, Examples) {
  for (const char* name : {"kuznyechik", "magma"})
    for (const auto& r : vec::read("wrap.vec", (std::string("kexp15-") + name).c_str(), {"Kek", "IV", "In", "Out"})) {
      SCOPED_TRACE(r.where());
      const std::string cipher = std::string(name) + "-kexp15";
      const Bytes key = r.bytes("In"), wrapped = r.bytes("Out");
      EXPECT_EQ(crypt(start(vershina(), cipher.c_str(), true, r.bytes("Kek"), r.bytes("IV")).get(), key), wrapped);
      EXPECT_EQ(crypt(start(vershina(), cipher.c_str(), false, r.bytes("Kek"), r.bytes("IV")).get(), wrapped), key);
      for (size_t i = 0; i < wrapped.size(); ++i) {
        Bytes wrong = wrapped, out;
        wrong[i] ^= 0x40;
        const CipherCtx c = start(vershina(), cipher.c_str(), false, r.bytes("Kek"), r.bytes("IV"));
        EXPECT_FALSE(update(c.get(), out, wrong.data(), wrong.size()));
        EXPECT_TRUE(out.empty());
      }
      EXPECT_NE(errors().find(vsh_status_message(VSH_E_TAG)), std::string::npos);
    }
}

TEST(EvpWrap, Misuse) {
  const CipherCtx w = start(vershina(), "magma-kexp15", true);
  int len = 0;
  ASSERT_TRUE(EVP_EncryptUpdate(w.get(), nullptr, &len, kIv.data(), 16));
  EXPECT_EQ(len, 24);
  Bytes out;
  ASSERT_TRUE(update(w.get(), out, kIv.data(), 16));
  EXPECT_EQ(out.size(), 24u);
  EXPECT_FALSE(update(w.get(), out, kIv.data(), 16));  // the IV is used up
  errors();
}

}  // namespace
}  // namespace vsh::test::evp
