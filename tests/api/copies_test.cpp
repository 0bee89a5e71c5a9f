// vsh_cipher_copy, vsh_mac_copy, vsh_aead_copy: a copy taken anywhere in a message continues like the original, and
// neither affects the other.
#include <gtest/gtest.h>

#include "api/support/contexts.hpp"
#include "support/random.hpp"

namespace vsh::test {
namespace {

// Positions of copies: around blocks, and around sections of 1024 and 4096 bytes.
constexpr size_t kCuts[] = {0, 1, 7, 8, 16, 17, 1024, 1030, 4096, 5000};
constexpr size_t kLen = 9001;

struct FreeAead {
  void operator()(vsh_aead* c) const { vsh_aead_free(c); }
};
using AeadPointer = std::unique_ptr<vsh_aead, FreeAead>;

Bytes text() { return Random(17).bytes(kLen); }

void update(Bytes& out, vsh_cipher* c, const Bytes& in, size_t from, size_t to) {
  const size_t before = out.size();
  size_t len = 0;
  out.resize(before + vsh_cipher_update_capacity(c, to - from));
  ASSERT_EQ(vsh_cipher_update(c, out.data() + before, out.size() - before, &len, in.data() + from, to - from), VSH_OK);
  out.resize(before + len);
}

void final(Bytes& out, vsh_cipher* c) {
  uint8_t last[VSH_FINAL_CAPACITY];
  size_t len = 0;
  ASSERT_EQ(vsh_cipher_final(c, last, sizeof last, &len), VSH_OK);
  out.insert(out.end(), last, last + len);
}

// At every cut the original continues with other data; the copy processes the message.
void check_cipher(vsh_cipher_algorithm a, vsh_mode m, vsh_direction d, const vsh_options& o) {
  Bytes plain = text(), whole(kLen + 16);
  size_t len = 0;
  ASSERT_EQ(vsh_encrypt(whole.data(), whole.size(), &len, a, m, kKey.data(), 32, kIv.data(), iv_len(a, m), plain.data(),
                        kLen, &o),
            VSH_OK);
  whole.resize(len);
  const Bytes& in = d == VSH_ENCRYPT ? plain : whole;
  const Bytes& expected = d == VSH_ENCRYPT ? whole : plain;
  for (const size_t cut : kCuts) {
    CipherPointer original = make(a, m, d, o);
    Bytes out, other;
    update(out, original.get(), in, 0, cut);
    vsh_cipher* copy = nullptr;
    ASSERT_EQ(vsh_cipher_copy(&copy, original.get()), VSH_OK);
    const CipherPointer owner(copy);
    update(other, original.get(), Bytes(3000, 0x5a), 0, 3000);
    original.reset();
    update(out, copy, in, cut, in.size());
    final(out, copy);
    EXPECT_EQ(out, expected) << "copied after " << cut << " bytes";
    EXPECT_EQ(vsh_cipher_copy(&copy, owner.get()), VSH_OK);  // of a context that has ended
    const CipherPointer ended(copy);
    EXPECT_EQ(vsh_cipher_final(copy, out.data(), out.size(), &len), VSH_E_STATE);
    EXPECT_EQ(vsh_cipher_reset(copy, kIv.data(), iv_len(a, m)), VSH_OK);
    Bytes again;
    update(again, copy, in, 0, in.size());
    final(again, copy);
    EXPECT_EQ(again, expected) << "after reset of a copy";
  }
}

TEST(Copies, Ciphers) {
  for (size_t i = 0; const char* name = vsh_cipher_name(i); ++i) {
    SCOPED_TRACE(name);
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, name), VSH_OK);
    vsh_options o = options();
    for (const vsh_key_meshing meshing : {VSH_MESHING_NONE, VSH_MESHING_CRYPTOPRO}) {
      if (meshing && (a != VSH_GOST28147 || m == VSH_ECB)) continue;
      o.key_meshing = meshing;
      check_cipher(a, m, VSH_ENCRYPT, o);
      check_cipher(a, m, VSH_DECRYPT, o);
    }
  }
}

TEST(Copies, Macs) {
  const Bytes in = text();
  for (size_t i = 0; const char* name = vsh_mac_name(i); ++i) {
    SCOPED_TRACE(name);
    vsh_mac_algorithm a;
    ASSERT_EQ(vsh_mac_by_name(&a, name), VSH_OK);
    for (const vsh_key_meshing meshing : {VSH_MESHING_NONE, VSH_MESHING_CRYPTOPRO}) {
      if (meshing && a != VSH_GOST28147_IMIT) continue;
      vsh_options o = options();
      o.key_meshing = meshing;
      const size_t tag_len = vsh_mac_max_len(a);
      Bytes expected(tag_len), tag(tag_len);
      const MacPointer whole = make_mac(a, o);
      ASSERT_EQ(vsh_mac_update(whole.get(), in.data(), in.size()), VSH_OK);
      ASSERT_EQ(vsh_mac_final(whole.get(), expected.data(), tag_len), VSH_OK);
      for (const size_t cut : kCuts) {
        MacPointer original = make_mac(a, o);
        ASSERT_EQ(vsh_mac_update(original.get(), in.data(), cut), VSH_OK);
        vsh_mac* copy = nullptr;
        ASSERT_EQ(vsh_mac_copy(&copy, original.get()), VSH_OK);
        const MacPointer owner(copy);
        ASSERT_EQ(vsh_mac_update(original.get(), in.data(), 4000), VSH_OK);
        original.reset();
        ASSERT_EQ(vsh_mac_update(copy, in.data() + cut, in.size() - cut), VSH_OK);
        ASSERT_EQ(vsh_mac_final(copy, tag.data(), tag_len), VSH_OK);
        EXPECT_EQ(tag, expected) << "copied after " << cut << " bytes";
      }
    }
  }
}

TEST(Copies, Aead) {
  const Bytes in = text(), data = Random(18).bytes(77);
  for (size_t i = 0; const char* name = vsh_aead_name(i); ++i) {
    SCOPED_TRACE(name);
    vsh_aead_algorithm a;
    ASSERT_EQ(vsh_aead_by_name(&a, name), VSH_OK);
    const bool has_data = a == VSH_KUZNYECHIK_MGM || a == VSH_MAGMA_MGM;
    const size_t nonce_len = vsh_aead_nonce_len(a), tag_len = vsh_aead_max_tag_len(a),
                 data_len = has_data ? data.size() : 0;
    vsh_aead* c = nullptr;
    ASSERT_EQ(vsh_aead_new(&c, a, kKey.data(), 32, 0, nullptr), VSH_OK);
    AeadPointer original(c);
    Bytes sealed(kLen), tag(tag_len);
    ASSERT_EQ(vsh_aead_seal_apart(c, sealed.data(), tag.data(), tag_len, kIv.data(), nonce_len, data.data(), data_len,
                                  in.data(), kLen),
              VSH_OK);
    for (const size_t cut : kCuts) {
      Bytes out(kLen), opened(kLen), got(tag_len);
      ASSERT_EQ(vsh_aead_begin(original.get(), kIv.data(), nonce_len), VSH_OK);
      ASSERT_EQ(vsh_aead_add_data(original.get(), data.data(), data_len / 3), VSH_OK);
      vsh_aead* copy = nullptr;
      ASSERT_EQ(vsh_aead_copy(&copy, original.get()), VSH_OK);
      const AeadPointer in_data(copy);
      ASSERT_EQ(vsh_aead_begin(original.get(), kKey.data(), nonce_len), VSH_OK);
      ASSERT_EQ(vsh_aead_add_data(copy, data.data() + data_len / 3, data_len - data_len / 3), VSH_OK);
      ASSERT_EQ(vsh_aead_encrypt(copy, out.data(), in.data(), cut), VSH_OK);
      ASSERT_EQ(vsh_aead_copy(&copy, in_data.get()), VSH_OK);
      const AeadPointer in_text(copy);
      ASSERT_EQ(vsh_aead_encrypt(in_data.get(), opened.data(), in.data(), kLen), VSH_OK);
      ASSERT_EQ(vsh_aead_encrypt(copy, out.data() + cut, in.data() + cut, kLen - cut), VSH_OK);
      ASSERT_EQ(vsh_aead_final(copy, got.data(), tag_len), VSH_OK);
      EXPECT_EQ(out, sealed) << "copied after " << cut << " bytes";
      EXPECT_EQ(got, tag);
    }
  }
}

TEST(Copies, Misuse) {
  const CipherPointer cipher = make(VSH_MAGMA, VSH_CTR);
  const MacPointer mac = make_mac(VSH_MAGMA_MAC);
  vsh_cipher* c = nullptr;
  vsh_mac* m = nullptr;
  vsh_aead* a = nullptr;
  EXPECT_EQ(vsh_cipher_copy(nullptr, cipher.get()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_cipher_copy(&c, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_mac_copy(nullptr, mac.get()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_mac_copy(&m, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_aead_copy(&a, nullptr), VSH_E_ARGUMENT);
  ASSERT_EQ(vsh_aead_new(&a, VSH_MAGMA_MGM, kKey.data(), 32, 0, nullptr), VSH_OK);
  const AeadPointer owner(a);
  EXPECT_EQ(vsh_aead_copy(nullptr, a), VSH_E_ARGUMENT);
  EXPECT_TRUE(!c && !m);
}

}  // namespace
}  // namespace vsh::test
