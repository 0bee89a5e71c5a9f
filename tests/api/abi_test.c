/* The header in C11, from C: every function once, and numbers that no enumeration has. */
#include <stdio.h>
#include <string.h>

#include "vershina/vershina.h"

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

static const uint8_t kKey[VSH_KEY_LEN] = {0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22,
                                          0x33, 0x44, 0x55, 0x66, 0x77, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54,
                                          0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
static const uint8_t kIv[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void test_names(void) {
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  vsh_hash_algorithm hash;
  vsh_mac_algorithm mac;
  vsh_sbox sbox;
  size_t i;
  for (i = 0; vsh_cipher_name(i); ++i) {
    uint8_t out[64];
    size_t len = 0;
    EXPECT(vsh_cipher_by_name(&algorithm, &mode, vsh_cipher_name(i)) == VSH_OK);
    EXPECT(vsh_encrypt(out, sizeof out, &len, algorithm, mode, kKey, sizeof kKey, kIv, vsh_iv_len(algorithm, mode),
                       (const uint8_t*)"message", 7, NULL) == VSH_OK);
    EXPECT(len == (mode == VSH_ECB || mode == VSH_CBC ? vsh_block_len(algorithm) : 7));
    EXPECT(vsh_decrypt(out, sizeof out, &len, algorithm, mode, kKey, sizeof kKey, kIv, vsh_iv_len(algorithm, mode), out,
                       len, NULL) == VSH_OK);
    EXPECT(len == 7 && memcmp(out, "message", 7) == 0);
  }
  EXPECT(i == 16);
  for (i = 0; vsh_hash_name(i); ++i) EXPECT(vsh_hash_by_name(&hash, vsh_hash_name(i)) == VSH_OK);
  EXPECT(i == 4);
  for (i = 0; vsh_mac_name(i); ++i) EXPECT(vsh_mac_by_name(&mac, vsh_mac_name(i)) == VSH_OK);
  EXPECT(i == 7);
  for (i = 0; vsh_sbox_name(i); ++i) {
    EXPECT(vsh_sbox_by_name(&sbox, vsh_sbox_name(i)) == VSH_OK);
    EXPECT(sbox == (vsh_sbox)(VSH_SBOX_TC26_Z + (int)i));
  }
  EXPECT(i == 8);
  EXPECT(vsh_sbox_by_name(&sbox, "id-Gost28147-89-CryptoPro-A-ParamSet") == VSH_OK && sbox == VSH_SBOX_CRYPTOPRO_A);

  EXPECT(vsh_cipher_by_name(&algorithm, &mode, "kuznyechik-cnt") == VSH_E_ARGUMENT);
  EXPECT(vsh_cipher_by_name(&algorithm, &mode, "") == VSH_E_ARGUMENT);
  EXPECT(vsh_cipher_by_name(&algorithm, &mode, NULL) == VSH_E_ARGUMENT);
  EXPECT(vsh_cipher_by_name(NULL, &mode, "magma-ecb") == VSH_E_ARGUMENT);
  EXPECT(vsh_hash_by_name(&hash, "md5") == VSH_E_ARGUMENT);
  EXPECT(vsh_mac_by_name(&mac, "hmac") == VSH_E_ARGUMENT);
  EXPECT(vsh_sbox_by_name(&sbox, "custom") == VSH_E_ARGUMENT);
  EXPECT(!vsh_cipher_name((size_t)-1) && !vsh_hash_name((size_t)-1) && !vsh_mac_name(7) && !vsh_sbox_name(8));
  EXPECT(strcmp(vsh_version(), "0.3.0") == 0);
  EXPECT(vsh_iv_len(VSH_KUZNYECHIK, VSH_CTR) == 8 && vsh_iv_len(VSH_MAGMA, VSH_CBC) == 8 &&
         vsh_iv_len(VSH_GOST28147, VSH_CNT) == 8 && vsh_iv_len(VSH_KUZNYECHIK, VSH_ECB) == 0);
  EXPECT(vsh_hash_len(VSH_STREEBOG256) == 32 && vsh_hash_len(VSH_STREEBOG512) == 64);
  EXPECT(vsh_mac_max_len(VSH_KUZNYECHIK_MAC) == 16 && vsh_mac_max_len(VSH_GOST28147_IMIT) == 8);
  EXPECT(vsh_cpu_features() != NULL);
}

static void test_numbers_that_are_no_enumerators(void) {
  static const int kNumbers[] = {0, 57, 10, 31, 32, 99, -1, 0x7fffffff};
  for (size_t i = 0; i < sizeof kNumbers / sizeof kNumbers[0]; ++i) {
    const int x = kNumbers[i];
    vsh_cipher* cipher = NULL;
    vsh_mac* mac = NULL;
    vsh_hash* hash = NULL;
    vsh_options options = VSH_OPTIONS_INIT;
    EXPECT(vsh_cipher_new(&cipher, (vsh_cipher_algorithm)x, VSH_ECB, VSH_ENCRYPT, kKey, 32, NULL, 0, NULL) ==
           VSH_E_ARGUMENT);
    EXPECT(vsh_cipher_new(&cipher, VSH_MAGMA, (vsh_mode)x, VSH_ENCRYPT, kKey, 32, NULL, 0, NULL) == VSH_E_ARGUMENT);
    EXPECT(vsh_cipher_new(&cipher, VSH_MAGMA, VSH_ECB, (vsh_direction)x, kKey, 32, NULL, 0, NULL) == VSH_E_ARGUMENT);
    EXPECT(vsh_mac_new(&mac, (vsh_mac_algorithm)x, kKey, 32, NULL) == VSH_E_ARGUMENT);
    EXPECT(vsh_hash_new(&hash, (vsh_hash_algorithm)x, NULL) == VSH_E_ARGUMENT);
    EXPECT(vsh_hash_digest((uint8_t*)&options, 32, (vsh_hash_algorithm)x, NULL, 0, NULL) == VSH_E_ARGUMENT);
    EXPECT(vsh_block_len((vsh_cipher_algorithm)x) == 0);
    EXPECT(vsh_hash_len((vsh_hash_algorithm)x) == 0);
    EXPECT(vsh_mac_max_len((vsh_mac_algorithm)x) == 0);
    EXPECT(vsh_iv_len((vsh_cipher_algorithm)x, VSH_CBC) == 0);
    EXPECT(vsh_iv_len(VSH_MAGMA, (vsh_mode)x) == 0);
    EXPECT(vsh_status_message((vsh_status)x) != NULL);
    if (x != 0) {
      options.padding = (vsh_padding)x;
      EXPECT(vsh_cipher_new(&cipher, VSH_MAGMA, VSH_ECB, VSH_ENCRYPT, kKey, 32, NULL, 0, &options) == VSH_E_PADDING);
      options.padding = VSH_PADDING_DEFAULT;
    }
    if (x > 9 || x < 0) {
      options.sbox = (vsh_sbox)x;
      EXPECT(vsh_cipher_new(&cipher, VSH_GOST28147, VSH_ECB, VSH_ENCRYPT, kKey, 32, NULL, 0, &options) == VSH_E_SBOX);
      EXPECT(vsh_mac_new(&mac, VSH_GOST28147_IMIT, kKey, 32, &options) == VSH_E_SBOX);
    }
    EXPECT(!cipher && !mac && !hash);
  }
}

static void test_contexts(void) {
  vsh_cipher* cipher = NULL;
  vsh_mac* mac = NULL;
  vsh_hash *hash = NULL, *copy = NULL;
  vsh_kernel_info info;
  const char* failed = "nothing";
  uint8_t data[32] = {0}, tag[8], digest[64], digest_of_copy[64];
  size_t len = 0, i;

  EXPECT(vsh_cipher_new(&cipher, VSH_KUZNYECHIK, VSH_CTR, VSH_ENCRYPT, kKey, sizeof kKey, kIv, 8, NULL) == VSH_OK);
  EXPECT(vsh_cipher_update_capacity(cipher, 32) == 32);
  EXPECT(vsh_cipher_update(cipher, data, sizeof data, &len, data, sizeof data) == VSH_OK && len == 32);
  EXPECT(vsh_cipher_seek(cipher, 0) == VSH_OK);
  EXPECT(vsh_cipher_update(cipher, data, sizeof data, &len, data, sizeof data) == VSH_OK && data[5] == 0);
  EXPECT(vsh_cipher_final(cipher, NULL, 0, &len) == VSH_OK && len == 0);
  EXPECT(vsh_cipher_reset(cipher, kIv, 8) == VSH_OK);
  EXPECT(vsh_cipher_kernel(cipher)[0] && vsh_cipher_kernel_one_block(cipher)[0]);
  vsh_cipher_free(cipher);

  EXPECT(vsh_mac_new(&mac, VSH_MAGMA_MAC, kKey, sizeof kKey, NULL) == VSH_OK);
  EXPECT(vsh_mac_update(mac, data, 3) == VSH_OK);
  EXPECT(vsh_mac_final(mac, tag, sizeof tag) == VSH_OK);
  EXPECT(vsh_mac_reset(mac) == VSH_OK);
  EXPECT(vsh_mac_update(mac, data, 3) == VSH_OK);
  EXPECT(vsh_mac_verify(mac, tag, sizeof tag) == VSH_OK);
  EXPECT(vsh_mac_kernel(mac)[0]);
  memcpy(data, kKey, sizeof kKey);
  EXPECT(vsh_equal(data, kKey, sizeof kKey) == 1);
  data[sizeof kKey - 1] ^= 0x80;
  EXPECT(vsh_equal(data, kKey, sizeof kKey) == 0 && vsh_equal(data, kKey, sizeof kKey - 1) == 1);
  EXPECT(vsh_equal(NULL, NULL, 0) == 1);
  vsh_mac_free(mac);

  EXPECT(vsh_hash_new(&hash, VSH_STREEBOG512, NULL) == VSH_OK);
  EXPECT(vsh_hash_update(hash, kKey, sizeof kKey) == VSH_OK);
  EXPECT(vsh_hash_copy(&copy, hash) == VSH_OK);
  EXPECT(vsh_hash_final(hash, digest, 64) == VSH_OK);
  EXPECT(vsh_hash_final(copy, digest_of_copy, 64) == VSH_OK);
  EXPECT(memcmp(digest, digest_of_copy, 64) == 0);
  EXPECT(vsh_hash_reset(hash) == VSH_OK && vsh_hash_kernel(hash)[0]);
  vsh_hash_free(hash);
  vsh_hash_free(copy);

  vsh_cipher_free(NULL);
  vsh_mac_free(NULL);
  vsh_hash_free(NULL);
  for (i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) EXPECT(info.family && info.variant && info.isa && info.lanes);
  EXPECT(i > 0 && vsh_kernel((size_t)-1, &info) == VSH_E_ARGUMENT);
  EXPECT(vsh_selftest(&failed) == VSH_OK);
  EXPECT(strcmp(failed, "nothing") == 0);
}

int main(void) {
  test_names();
  test_numbers_that_are_no_enumerators();
  test_contexts();
  if (failures) fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
