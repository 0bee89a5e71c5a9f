// Memory freed by a context holds nothing of the key or of the message, and a failed allocation is a status.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/watching_allocator.hpp"
#include "vershina/vershina.h"

namespace {

using vsh::test::Memory;
using vsh::test::memory;

// Both begin with vsh::test::kMarker.
const uint8_t kKey[32] = {0x93, 0x0F, 0x5C, 0xE7, 0xA8, 0x31, 0xDB, 0x66, 9,  10, 11, 12, 13, 14, 15, 16,
                          17,   18,   19,   20,   21,   22,   23,   24,   25, 26, 27, 28, 29, 30, 31, 32};
const uint8_t kText[100] = {0x93, 0x0F, 0x5C, 0xE7, 0xA8, 0x31, 0xDB, 0x66, 0xff, 0xee, 0xdd};

class Wiping : public testing::Test {
 protected:
  void SetUp() override { memory.forget(); }
  void expect_clean(size_t at_least) {
    EXPECT_GE(memory.num_given_back, at_least);
    EXPECT_EQ(memory.num_dirty, 0u);
    EXPECT_EQ(memory.num_leaks, 0u);
  }
};

TEST_F(Wiping, Ciphers) {
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    for (const vsh_direction d : {VSH_ENCRYPT, VSH_DECRYPT}) {
      vsh_cipher* c = nullptr;
      ASSERT_EQ(vsh_cipher_new(&c, a, m, d, kKey, 32, kKey, vsh_iv_len(a, m), nullptr), VSH_OK);
      uint8_t out[128];
      size_t len;
      ASSERT_EQ(vsh_cipher_update(c, out, sizeof out, &len, kText, sizeof kText), VSH_OK);
      memory.forget();
      vsh_cipher_free(c);
      EXPECT_EQ(memory.num_dirty, 0u) << vsh_cipher_name(i);
      EXPECT_EQ(memory.num_leaks, 0u) << vsh_cipher_name(i);
      EXPECT_EQ(memory.num_given_back, 2u) << "the context, the schedules: once, whether keys change or not";
    }
  }
}

TEST_F(Wiping, CiphersWithKeyMeshing) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.key_meshing = VSH_MESHING_CRYPTOPRO;
  for (const vsh_mode m : {VSH_CBC, VSH_CNT, VSH_CFB}) {
    vsh_cipher* c = nullptr;
    ASSERT_EQ(vsh_cipher_new(&c, VSH_GOST28147, m, VSH_ENCRYPT, kKey, 32, kKey, 8, &o), VSH_OK);
    memory.forget();
    vsh_cipher_free(c);
    expect_clean(2);
    EXPECT_EQ(memory.num_given_back, 2u) << "no engine that is not used";
  }
}

TEST_F(Wiping, Copies) {
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    vsh_cipher *c = nullptr, *copy = nullptr;
    uint8_t out[128];
    size_t len;
    memory.forget();
    ASSERT_EQ(vsh_cipher_new(&c, a, m, VSH_ENCRYPT, kKey, 32, kKey, vsh_iv_len(a, m), nullptr), VSH_OK);
    ASSERT_EQ(vsh_cipher_update(c, out, sizeof out, &len, kText, sizeof kText), VSH_OK);
    ASSERT_EQ(vsh_cipher_copy(&copy, c), VSH_OK);
    vsh_cipher_free(c);
    vsh_cipher_free(copy);
    EXPECT_EQ(memory.num_dirty, 0u) << vsh_cipher_name(i);
    EXPECT_EQ(memory.num_leaks, 0u) << vsh_cipher_name(i);
    EXPECT_EQ(memory.num_given_back, 4u);
  }
  vsh_mac *mac = nullptr, *mac_copy = nullptr;
  vsh_aead *aead = nullptr, *aead_copy = nullptr;
  memory.forget();
  ASSERT_EQ(vsh_mac_new(&mac, VSH_MAGMA_OMAC_ACPKM, kKey, 32, nullptr), VSH_OK);
  ASSERT_EQ(vsh_mac_update(mac, kText, sizeof kText), VSH_OK);
  ASSERT_EQ(vsh_mac_copy(&mac_copy, mac), VSH_OK);
  ASSERT_EQ(vsh_aead_new(&aead, VSH_MAGMA_CTR_ACPKM_OMAC, kKey, 32, 0, nullptr), VSH_OK);
  ASSERT_EQ(vsh_aead_begin(aead, kText, 12), VSH_OK);
  ASSERT_EQ(vsh_aead_copy(&aead_copy, aead), VSH_OK);
  vsh_mac_free(mac);
  vsh_mac_free(mac_copy);
  vsh_aead_free(aead);
  vsh_aead_free(aead_copy);
  expect_clean(8);
}

TEST_F(Wiping, ChangingKeys) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.key_meshing = VSH_MESHING_CRYPTOPRO;
  o.threads = 2;
  static uint8_t in[1 << 20], out[1 << 20];
  size_t len;
  for (const vsh_mode m : {VSH_CNT, VSH_CFB, VSH_CBC}) {
    memory.forget();
    ASSERT_EQ(vsh_decrypt(out, sizeof out, &len, VSH_GOST28147, m, kKey, 32, kKey, 8, in, sizeof in / 8, &o),
              m == VSH_CBC ? VSH_E_BAD_PADDING : VSH_OK);
    EXPECT_EQ(memory.num_dirty, 0u) << m;
  }
  o.key_meshing = VSH_MESHING_NONE;
  ASSERT_EQ(vsh_encrypt(out, sizeof out, &len, VSH_KUZNYECHIK, VSH_CTR_ACPKM, kKey, 32, kKey, 8, in, sizeof in, &o),
            VSH_OK);
  EXPECT_EQ(memory.num_dirty, 0u);
}

TEST_F(Wiping, OneShot) {
  uint8_t out[200];
  size_t len;
  ASSERT_EQ(vsh_encrypt(out, sizeof out, &len, VSH_MAGMA, VSH_CBC, kKey, 32, kKey, 8, kText, sizeof kText, nullptr),
            VSH_OK);
  EXPECT_EQ(vsh_decrypt(out, sizeof out, &len, VSH_MAGMA, VSH_CBC, kKey, 32, kKey, 8, kText, 96, nullptr),
            VSH_E_BAD_PADDING);
  expect_clean(4);
}

TEST_F(Wiping, Macs) {
  for (const vsh_mac_algorithm a : {VSH_KUZNYECHIK_MAC, VSH_MAGMA_MAC, VSH_GOST28147_IMIT, VSH_KUZNYECHIK_OMAC_ACPKM,
                                    VSH_MAGMA_OMAC_ACPKM, VSH_HMAC_STREEBOG256, VSH_HMAC_STREEBOG512}) {
    vsh_mac* c = nullptr;
    ASSERT_EQ(vsh_mac_new(&c, a, kKey, 32, nullptr), VSH_OK);
    ASSERT_EQ(vsh_mac_update(c, kText, sizeof kText), VSH_OK);
    vsh_mac_free(c);
  }
  expect_clean(7);
}

TEST_F(Wiping, KeyTrees) {
  uint8_t key[32];
  vsh_tlstree* tls = nullptr;
  vsh_esptree* esp = nullptr;
  ASSERT_EQ(vsh_tlstree_new(&tls, VSH_TLSTREE_MAGMA_MGM_L, kKey, 32, nullptr), VSH_OK);
  ASSERT_EQ(vsh_tlstree_key(tls, key, 32, 5), VSH_OK);
  vsh_tlstree_free(tls);
  ASSERT_EQ(vsh_esptree_new(&esp, kKey, 32, nullptr), VSH_OK);
  ASSERT_EQ(vsh_esptree_key(esp, key, 32, 1, 2, 3), VSH_OK);
  vsh_esptree_free(esp);
  expect_clean(2);
}

// Batches keep key blocks, chaining values and digests in their own memory.
TEST_F(Wiping, Batches) {
  uint8_t out[40][64];
  vsh_pbkdf2_job passwords[40];
  vsh_hmac_job messages[40];
  for (size_t i = 0; i < 40; ++i) {
    passwords[i] = {kKey, 32 - i % 2, kText, 8, 2, out[i], 64, VSH_OK};
    messages[i] = {kKey, 32, kText, sizeof kText, out[i], 64, VSH_OK};
  }
  ASSERT_EQ(vsh_pbkdf2_batch(passwords, 40, nullptr), VSH_OK);
  expect_clean(2);
  ASSERT_EQ(vsh_streams_hmac(VSH_HMAC_STREEBOG512, messages, 40, nullptr), VSH_OK);
  expect_clean(4);
}

TEST_F(Wiping, Aead) {
  for (const vsh_aead_algorithm a : {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM}) {
    vsh_aead* c = nullptr;
    const uint8_t nonce[16] = {1, 2, 3};
    uint8_t out[200];
    size_t len;
    ASSERT_EQ(vsh_aead_new(&c, a, kKey, 32, 0, nullptr), VSH_OK);
    const size_t nonce_len = vsh_aead_nonce_len(a);
    ASSERT_EQ(vsh_aead_seal(c, out, sizeof out, &len, nonce, nonce_len, kText, 5, kText, sizeof kText), VSH_OK);
    ASSERT_EQ(vsh_aead_begin(c, nonce, nonce_len), VSH_OK);
    ASSERT_EQ(vsh_aead_encrypt(c, out, kText, 77), VSH_OK);
    vsh_aead_free(c);
  }
  expect_clean(4);
}

// Every message and each section have their own keys: a MAC key, a chain of section keys, threads that prepare them.
TEST_F(Wiping, Esp) {
  for (size_t i = 0; vsh_esp_name(i); ++i) {
    vsh_esp_sa sa{};
    ASSERT_EQ(vsh_esp_by_name(&sa.transform, vsh_esp_name(i)), VSH_OK);
    uint8_t key[VSH_ESP_MAX_KEY_LEN] = {};
    std::copy(kKey, kKey + 32, key);
    sa.flags = VSH_ESP_OUTBOUND | VSH_ESP_ESN, sa.spi = 1000;
    sa.key = key, sa.key_len = vsh_esp_key_len(sa.transform);
    sa.leaf_packets = 2;  // leaves change
    vsh_esp* e = nullptr;
    ASSERT_EQ(vsh_esp_new(&e, 3, nullptr), VSH_OK);
    for (const size_t number : {0, 2, 0}) ASSERT_EQ(vsh_esp_add(e, number, &sa), VSH_OK);
    for (int round = 0; round < 3; ++round) {
      uint8_t buffers[5][140] = {};
      vsh_esp_packet packets[5] = {};
      for (size_t p = 0; p < 5; ++p) {
        std::copy(kText, kText + 100, buffers[p] + 16);
        packets[p].buffer = buffers[p], packets[p].capacity = sizeof buffers[p], packets[p].offset = 16;
        packets[p].len = 100, packets[p].association = p % 2 * 2;
      }
      ASSERT_EQ(vsh_esp_seal(e, packets, 5), VSH_OK);
    }
    ASSERT_EQ(vsh_esp_remove(e, 0), VSH_OK);
    vsh_esp_free(e);
    EXPECT_EQ(memory.num_dirty, 0u) << vsh_esp_name(i);
    const bool copies = sa.transform >= VSH_ESP_KUZNYECHIK_MGM_MAC;  // of data sent in clear
    EXPECT_EQ(memory.num_leaks != 0, copies) << vsh_esp_name(i);
    memory.forget();
  }
}

// An association in use: once its leaf has changed, neither the old leaf's key is in memory nor anything made of it.
// Nothing but counters and what bounds them, a few bytes, then differs from associations that never had the old leaf.
TEST_F(Wiping, EspInUse) {
  for (const vsh_esp_transform transform : {VSH_ESP_KUZNYECHIK_MGM, VSH_ESP_MAGMA_MGM}) {
    SCOPED_TRACE(vsh_esp_name(transform == VSH_ESP_MAGMA_MGM));
    uint8_t key[VSH_ESP_MAX_KEY_LEN] = {}, leaf_keys[2][32];
    std::copy(kKey, kKey + 32, key);
    vsh_esptree* tree = nullptr;
    ASSERT_EQ(vsh_esptree_new(&tree, key, 32, nullptr), VSH_OK);
    for (const uint16_t i : {0, 1}) ASSERT_EQ(vsh_esptree_key(tree, leaf_keys[i], 32, 0, 0, i), VSH_OK);
    vsh_esptree_free(tree);
    std::vector<std::vector<uint8_t>> in_use[2];
    for (const uint64_t first_leaf : {0, 1}) {  // one begins with two packets of leaf 0, one has leaf 1 only
      vsh_esp_sa sa{};
      sa.transform = transform, sa.spi = 1000;
      sa.key = key, sa.key_len = vsh_esp_key_len(transform);
      sa.flags = VSH_ESP_OUTBOUND | VSH_ESP_ESN;
      sa.first_leaf = first_leaf, sa.leaf_packets = first_leaf ? 9 : 2;
      vsh_esp* e = nullptr;
      ASSERT_EQ(vsh_esp_new(&e, 3, nullptr), VSH_OK);
      for (const size_t number : {0, 2}) ASSERT_EQ(vsh_esp_add(e, number, &sa), VSH_OK);
      for (const size_t num : {1, 2}) {  // the leaf changes within the second batch
        uint8_t buffers[4][140] = {};
        vsh_esp_packet packets[4] = {};
        for (size_t p = 0; p < 2 * num; ++p) {
          packets[p].buffer = buffers[p], packets[p].capacity = sizeof buffers[p], packets[p].offset = 16;
          packets[p].len = 100, packets[p].association = p % 2 * 2;
        }
        ASSERT_EQ(vsh_esp_seal(e, packets, 2 * num), VSH_OK);
        const bool old = num == 1 && first_leaf == 0;
        EXPECT_EQ(vsh::test::num_pieces_with(leaf_keys[0], 32) != 0, old) << num << ' ' << first_leaf;
        EXPECT_EQ(vsh::test::num_pieces_with(leaf_keys[1], 32) != 0, !old) << num << ' ' << first_leaf;
      }
      in_use[first_leaf] = vsh::test::secrets_in_use();
      vsh_esp_free(e);
    }
    ASSERT_FALSE(in_use[0].empty());
    for (const auto& piece : in_use[0]) {  // engines of single messages are only made when they are needed
      size_t least = piece.size();
      for (const auto& other : in_use[1]) {
        if (other.size() != piece.size()) continue;
        size_t run = 0, longest = 0;
        for (size_t i = 0; i < piece.size(); ++i) {
          run = piece[i] != other[i] ? run + 1 : 0;
          longest = std::max(longest, run);
        }
        least = std::min(least, longest);
      }
      EXPECT_LE(least, 8u) << "of " << piece.size() << " bytes";  // a count or an address
    }
  }
}

TEST_F(Wiping, CmsAead) {
  static uint8_t text[1 << 17], out[sizeof text + 16];
  std::copy(std::begin(kText), std::end(kText), text);
  for (const vsh_aead_algorithm a : {VSH_KUZNYECHIK_CTR_ACPKM_OMAC, VSH_MAGMA_CTR_ACPKM_OMAC}) {
    vsh_options o = VSH_OPTIONS_INIT;
    o.section_len = 64;
    o.threads = 2;
    vsh_aead* c = nullptr;
    const size_t nonce_len = vsh_aead_nonce_len(a);
    size_t len;
    memory.forget();
    ASSERT_EQ(vsh_aead_new(&c, a, kKey, 32, 0, &o), VSH_OK);
    ASSERT_EQ(vsh_aead_seal(c, out, sizeof out, &len, kText, nonce_len, nullptr, 0, text, sizeof text), VSH_OK);
    ASSERT_EQ(vsh_aead_open(c, text, sizeof text, &len, kText, nonce_len, nullptr, 0, out, len), VSH_OK);
    ASSERT_EQ(vsh_aead_begin(c, kText, nonce_len), VSH_OK);
    ASSERT_EQ(vsh_aead_encrypt(c, out, text, 777), VSH_OK);
    vsh_aead_free(c);
    expect_clean(4);  // the context; the schedules of the first key, of the sections', of the MAC's
    memory.allowed = 0;
    c = nullptr;
    EXPECT_EQ(vsh_aead_new(&c, a, kKey, 32, 0, &o), VSH_E_MEMORY);
    EXPECT_EQ(c, nullptr);
    memory.allowed = Memory::kPlenty;
  }
}

TEST_F(Wiping, Hashes) {
  vsh_hash *c = nullptr, *copy = nullptr;
  ASSERT_EQ(vsh_hash_new(&c, VSH_STREEBOG512, nullptr), VSH_OK);
  ASSERT_EQ(vsh_hash_update(c, kText, sizeof kText), VSH_OK);
  ASSERT_EQ(vsh_hash_copy(&copy, c), VSH_OK);
  vsh_hash_free(c);
  vsh_hash_free(copy);
  expect_clean(2);
}

TEST_F(Wiping, Xts) {
  uint8_t keys[VSH_XTS_KEY_LEN] = {1, 2, 3}, sector[512] = {0xff, 0xee};
  vsh_xts* xts = nullptr;
  ASSERT_EQ(vsh_xts_new(&xts, keys, sizeof keys, nullptr), VSH_OK);
  ASSERT_EQ(vsh_xts_encrypt_sectors(xts, sector, sector, 1, sizeof sector, 0), VSH_OK);
  vsh_xts_free(xts);
  expect_clean(3);  // the context and its two engines
  memory.allowed = 0;
  EXPECT_EQ(vsh_xts_new(&xts, keys, sizeof keys, nullptr), VSH_E_MEMORY);
  memory.allowed = Memory::kPlenty;
}

TEST_F(Wiping, SealedFiles) {
  const vsh_recipient key = {VSH_RECIPIENT_KEY, kKey, 32, 0, nullptr},
                      passphrase = {VSH_RECIPIENT_PASSPHRASE, kText, 9, 1000, nullptr};
  static uint8_t file[2 * VSH_SEALED_MIN_SLOT_LEN + 5000 + 2 * 16 + 8], text[5000];
  vsh_sealer* sealer = nullptr;
  ASSERT_EQ(vsh_sealer_new(&sealer, 4096, nullptr), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(sealer, &key), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(sealer, &passphrase), VSH_OK);
  ASSERT_EQ(vsh_sealer_header(sealer, file, sizeof file), VSH_OK);
  size_t len;
  ASSERT_EQ(vsh_sealer_update(sealer, file + 2 * VSH_SEALED_MIN_SLOT_LEN, 5000, &len, text, 5000), VSH_OK);
  ASSERT_EQ(vsh_sealer_final(sealer, file + 2 * VSH_SEALED_MIN_SLOT_LEN + len, 1000, &len), VSH_OK);
  vsh_sealer_free(sealer);
  vsh_opener* opener = nullptr;
  ASSERT_EQ(vsh_opener_new(&opener, file, sizeof file, 0, nullptr), VSH_OK);
  ASSERT_EQ(vsh_opener_unlock(opener, &key), VSH_OK);
  ASSERT_EQ(vsh_opener_update(opener, text, 5000, &len, file + 2 * VSH_SEALED_MIN_SLOT_LEN, 5040), VSH_OK);
  ASSERT_EQ(len, 4096u);
  vsh_opener_free(opener);
  expect_clean(8);
}

TEST_F(Wiping, Gost94) {
  vsh_hash* c = nullptr;
  ASSERT_EQ(vsh_hash_new(&c, VSH_GOST94_CRYPTOPRO, nullptr), VSH_OK);
  ASSERT_EQ(vsh_hash_update(c, kText, sizeof kText), VSH_OK);
  vsh_hash_free(c);
  expect_clean(1);
}

TEST_F(Wiping, Wraps) {
  uint8_t kek[64], out[48], key[32];
  for (size_t i = 0; i < sizeof kek; ++i) kek[i] = static_cast<uint8_t>(i + 1);
  size_t len;
  for (const vsh_wrap_algorithm a : {VSH_KEXP15_KUZNYECHIK, VSH_KEXP15_MAGMA}) {
    const size_t iv_len = vsh_wrap_iv_len(a);
    ASSERT_EQ(vsh_wrap(out, sizeof out, &len, a, kek, 64, kKey, iv_len, kKey, 32, nullptr), VSH_OK);
    ASSERT_EQ(vsh_unwrap(key, sizeof key, &len, a, kek, 64, kKey, iv_len, out, len, nullptr), VSH_OK);
  }
  expect_clean(8);  // the schedules of two keys for each call
}

TEST_F(Wiping, NoMemoryIsAStatus) {
  vsh_cipher* cipher = nullptr;
  vsh_mac* mac = nullptr;
  vsh_hash *hash = nullptr, *copy = nullptr;
  vsh_tlstree* tree = nullptr;
  ASSERT_EQ(vsh_hash_new(&hash, VSH_STREEBOG256, nullptr), VSH_OK);
  uint8_t out[200];
  size_t len = 77;
  memory.allowed = 0;
  EXPECT_EQ(vsh_cipher_new(&cipher, VSH_MAGMA, VSH_CBC, VSH_ENCRYPT, kKey, 32, kKey, 8, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_encrypt(out, sizeof out, &len, VSH_MAGMA, VSH_CBC, kKey, 32, kKey, 8, kText, 100, nullptr),
            VSH_E_MEMORY);
  EXPECT_EQ(vsh_mac_new(&mac, VSH_MAGMA_MAC, kKey, 32, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_mac_new(&mac, VSH_GOST28147_IMIT, kKey, 32, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_hash_copy(&copy, hash), VSH_E_MEMORY);
  EXPECT_EQ(vsh_mac_new(&mac, VSH_HMAC_STREEBOG512, kKey, 32, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_tlstree_new(&tree, VSH_TLSTREE_MAGMA_MGM_L, kKey, 32, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_pbkdf2(out, 64, kKey, 32, kText, 8, 2, nullptr), VSH_E_MEMORY);
  uint8_t kek[64] = {1};
  EXPECT_EQ(vsh_wrap(out, sizeof out, &len, VSH_KEXP15_MAGMA, kek, 64, kKey, 4, kKey, 32, nullptr), VSH_E_MEMORY);
  vsh_aead* aead = nullptr;
  EXPECT_EQ(vsh_aead_new(&aead, VSH_MAGMA_MGM, kKey, 32, 0, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(aead, nullptr);
  memory.allowed = Memory::kPlenty;
  vsh_hash_free(hash);
  EXPECT_TRUE(!cipher && !mac && !copy && !tree);
  EXPECT_EQ(len, 77u);
}

}  // namespace
