// Memory that a context gives back holds nothing of the key or of the message, and a refusal to give memory
// is a status. This program's allocator looks: the library takes aligned memory for everything that is
// secret.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include "vershina/vershina.h"

namespace {

std::mutex mutex;
bool refuse = false;
size_t num_given_back = 0, num_dirty = 0;

// Written in front of each piece of memory, within its alignment.
struct Header {
  size_t len;
  void* base;
};

void* take(size_t len, std::align_val_t alignment) {
  if (refuse) throw std::bad_alloc();
  const size_t a = std::max(static_cast<size_t>(alignment), sizeof(Header));
  void* base = std::aligned_alloc(a, a + (len + a - 1) / a * a);
  if (!base) throw std::bad_alloc();
  auto* p = static_cast<uint8_t*>(base) + a;
  reinterpret_cast<Header*>(p)[-1] = {len, base};
  return p;
}

void give_back(void* p) {
  if (!p) return;
  const Header header = static_cast<Header*>(p)[-1];
  const auto* bytes = static_cast<const volatile uint8_t*>(p);
  bool dirty = false;
  for (size_t i = 0; i < header.len; ++i) dirty |= bytes[i] != 0;
  {
    const std::lock_guard lock(mutex);
    ++num_given_back;
    num_dirty += dirty;
  }
  std::free(header.base);
}

}  // namespace

void* operator new(size_t len, std::align_val_t a) { return take(len, a); }
void* operator new[](size_t len, std::align_val_t a) { return take(len, a); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { give_back(p); }

namespace {

const uint8_t kKey[32] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                          17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
const uint8_t kText[100] = {0xff, 0xee, 0xdd};

class Wiping : public testing::Test {
 protected:
  void SetUp() override { num_given_back = num_dirty = 0; }
  void expect_clean(size_t at_least) {
    EXPECT_GE(num_given_back, at_least);
    EXPECT_EQ(num_dirty, 0u);
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
      num_given_back = num_dirty = 0;
      vsh_cipher_free(c);
      EXPECT_EQ(num_dirty, 0u) << vsh_cipher_name(i);
      EXPECT_EQ(num_given_back, 2u);  // the context and the schedules
    }
  }
}

TEST_F(Wiping, OneShot) {
  uint8_t out[200];
  size_t len;
  ASSERT_EQ(
      vsh_encrypt(out, sizeof out, &len, VSH_MAGMA, VSH_CBC, kKey, 32, kKey, 8, kText, sizeof kText, nullptr),
      VSH_OK);
  EXPECT_EQ(vsh_decrypt(out, sizeof out, &len, VSH_MAGMA, VSH_CBC, kKey, 32, kKey, 8, kText, 96, nullptr),
            VSH_E_BAD_PADDING);
  expect_clean(4);
}

TEST_F(Wiping, Macs) {
  for (const vsh_mac_algorithm a : {VSH_KUZNYECHIK_MAC, VSH_MAGMA_MAC, VSH_GOST28147_IMIT}) {
    vsh_mac* c = nullptr;
    ASSERT_EQ(vsh_mac_new(&c, a, kKey, 32, nullptr), VSH_OK);
    ASSERT_EQ(vsh_mac_update(c, kText, sizeof kText), VSH_OK);
    vsh_mac_free(c);
  }
  expect_clean(5);
}

TEST_F(Wiping, Aead) {
  for (const vsh_aead_algorithm a : {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM}) {
    vsh_aead* c = nullptr;
    uint8_t out[200];
    size_t len;
    ASSERT_EQ(vsh_aead_new(&c, a, kKey, 32, 0, nullptr), VSH_OK);
    const size_t nonce_len = vsh_aead_nonce_len(a);
    ASSERT_EQ(vsh_aead_seal(c, out, sizeof out, &len, kKey, nonce_len, kText, 5, kText, sizeof kText), VSH_OK);
    ASSERT_EQ(vsh_aead_begin(c, kKey, nonce_len), VSH_OK);
    ASSERT_EQ(vsh_aead_encrypt(c, out, kText, 77), VSH_OK);
    vsh_aead_free(c);
  }
  expect_clean(4);
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

TEST_F(Wiping, SealedFiles) {
  const vsh_recipient key = {VSH_RECIPIENT_KEY, kKey, 32, 0}, passphrase = {VSH_RECIPIENT_PASSPHRASE, kText, 9, 1000};
  static uint8_t file[VSH_SEALED_HEADER_LEN + 5000 + 2 * 16 + 8], text[5000];
  vsh_sealer* sealer = nullptr;
  ASSERT_EQ(vsh_sealer_new(&sealer, 4096, nullptr), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(sealer, &key), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(sealer, &passphrase), VSH_OK);
  ASSERT_EQ(vsh_sealer_header(sealer, file, sizeof file), VSH_OK);
  size_t len;
  ASSERT_EQ(vsh_sealer_update(sealer, file + VSH_SEALED_HEADER_LEN, 5000, &len, text, 5000), VSH_OK);
  ASSERT_EQ(vsh_sealer_final(sealer, file + VSH_SEALED_HEADER_LEN + len, 1000, &len), VSH_OK);
  vsh_sealer_free(sealer);
  vsh_opener* opener = nullptr;
  ASSERT_EQ(vsh_opener_new(&opener, file, sizeof file, 0, nullptr), VSH_OK);
  ASSERT_EQ(vsh_opener_unlock(opener, &key), VSH_OK);
  ASSERT_EQ(vsh_opener_update(opener, text, 5000, &len, file + VSH_SEALED_HEADER_LEN, 5040), VSH_OK);
  ASSERT_EQ(len, 4096u);
  vsh_opener_free(opener);
  expect_clean(8);
}

TEST_F(Wiping, NoMemoryIsAStatus) {
  vsh_cipher* cipher = nullptr;
  vsh_mac* mac = nullptr;
  vsh_hash *hash = nullptr, *copy = nullptr;
  ASSERT_EQ(vsh_hash_new(&hash, VSH_STREEBOG256, nullptr), VSH_OK);
  uint8_t out[200];
  size_t len = 77;
  refuse = true;
  EXPECT_EQ(vsh_cipher_new(&cipher, VSH_MAGMA, VSH_CBC, VSH_ENCRYPT, kKey, 32, kKey, 8, nullptr),
            VSH_E_MEMORY);
  EXPECT_EQ(vsh_encrypt(out, sizeof out, &len, VSH_MAGMA, VSH_CBC, kKey, 32, kKey, 8, kText, 100, nullptr),
            VSH_E_MEMORY);
  EXPECT_EQ(vsh_mac_new(&mac, VSH_MAGMA_MAC, kKey, 32, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_mac_new(&mac, VSH_GOST28147_IMIT, kKey, 32, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(vsh_hash_copy(&copy, hash), VSH_E_MEMORY);
  vsh_aead* aead = nullptr;
  EXPECT_EQ(vsh_aead_new(&aead, VSH_MAGMA_MGM, kKey, 32, 0, nullptr), VSH_E_MEMORY);
  EXPECT_EQ(aead, nullptr);
  refuse = false;
  vsh_hash_free(hash);
  EXPECT_TRUE(!cipher && !mac && !copy);
  EXPECT_EQ(len, 77u);
}

}  // namespace
