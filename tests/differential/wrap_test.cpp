// Key wraps against gost-engine: EVP supports them only in one direction and under agreed keys, so its functions are
// called by name. The test reports a missing engine, or one that hides them.
#include "differential/oracle.hpp"
#include "vershina/keys.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <random>

#if defined(VSH_ORACLE_OPENSSL) && __has_include(<link.h>)
#include <dlfcn.h>
#include <link.h>
#include <openssl/objects.h>

namespace {

using vsh::oracle::Bytes;

constexpr int kComparisons = 100;

void* find_engine() {
  const char* path = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        const char* name = info->dlpi_name;
        const size_t len = std::strlen(name);
        if (len >= 8 && std::strcmp(name + len - 8, "/gost.so") == 0) *static_cast<const char**>(found) = name;
        return 0;
      },
      &path);
  return path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
}

// Declarations of gost-engine's gost89.h, gost_keywrap.h, gost_tls12_additional.h. Its gost_ctx is opaque here.
struct Engine {
  template <class T>
  bool get(T& function, const char* name) {
    void* symbol = dlsym(library, name);
    std::memcpy(&function, &symbol, sizeof symbol);
    return symbol != nullptr;
  }
  bool load() {
    library = find_engine();
    return library && get(init, "gost_init") && get(key, "gost_key") && get(enc, "gost_enc") &&
           get(mac_iv, "gost_mac_iv") && get(wrap, "keyWrapCryptoPro") && get(kexp15, "gost_kexp15") &&
           get(kdf, "gost_kdftree2012_256");
  }
  void* library = nullptr;
  void (*init)(void*, const void* sboxes);
  void (*key)(void*, const uint8_t*);
  void (*enc)(void*, const uint8_t* in, uint8_t* out, int blocks);
  int (*mac_iv)(void*, int bits, const uint8_t* iv, const uint8_t* data, unsigned len, uint8_t* mac);
  int (*wrap)(void*, const uint8_t* kek, const uint8_t* ukm, const uint8_t* cek, uint8_t* out);
  int (*kexp15)(const uint8_t* key, int len, int cipher, const uint8_t* cipher_key, int mac, uint8_t* mac_key,
                const uint8_t* iv, size_t iv_len, uint8_t* out, int* out_len);
  int (*kdf)(uint8_t* out, size_t out_len, const uint8_t* key, size_t key_len, const uint8_t* label, size_t label_len,
             const uint8_t* seed, size_t seed_len, size_t counter_len);
};

class WrapTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    openssl_ = vsh::oracle::make_openssl(&why);
    if (!openssl_) GTEST_SKIP() << "SKIPPED: key wraps: " << why;
    if (!engine_.load()) GTEST_SKIP() << "SKIPPED: key wraps: this build of gost-engine hides its functions";
  }
  void TearDown() override { std::printf("key wraps compared with gost-engine: %d\n", compared_); }
  Bytes bytes(size_t len) {
    Bytes result(len);
    for (uint8_t& byte : result) byte = static_cast<uint8_t>(random_() >> 56);
    return result;
  }
  void compare(vsh_wrap_algorithm a, const Bytes& kek, const Bytes& iv, const Bytes& key, const Bytes& expected,
               const vershina::Options& o = {}) {
    ASSERT_EQ(vershina::wrap(a, kek, iv, key, o), expected);
    ASSERT_EQ(vershina::unwrap(a, kek, iv, expected, o), key);
    ++compared_;
  }
  // (UKM | CEK_ENC | CEK_MAC), of the engine's block cipher and IMIT.
  Bytes wrapped(const Bytes& kek, const Bytes& iv, const Bytes& key) {
    Bytes out = iv;
    out.resize(iv.size() + key.size() + 4);
    engine_.key(context_, kek.data());
    engine_.enc(context_, key.data(), &out[iv.size()], static_cast<int>(key.size() / 8));
    engine_.mac_iv(context_, 32, iv.data(), key.data(), static_cast<unsigned>(key.size()),
                   &out[iv.size() + key.size()]);
    return out;
  }
  bool choose_sboxes(const char* symbol) {
    const void* sboxes = dlsym(engine_.library, symbol);
    if (sboxes) engine_.init(context_, sboxes);
    return sboxes != nullptr;
  }

  std::unique_ptr<vsh::oracle::Oracle> openssl_;
  Engine engine_;
  alignas(64) uint8_t context_[1 << 16] = {};
  std::mt19937_64 random_{1323565};
  int compared_ = 0;
};

TEST_F(WrapTest, KExp15) {
  for (int i = 0; i < kComparisons; ++i) {
    const bool magma = i % 2;
    const Bytes kek = bytes(64), iv = bytes(magma ? 4 : 8), key = bytes(1 + random_() % 100);
    Bytes mac_key(kek.begin(), kek.begin() + 32), expected(key.size() + (magma ? 8 : 16));
    int len = static_cast<int>(expected.size());
    ASSERT_GT(engine_.kexp15(key.data(), static_cast<int>(key.size()), magma ? NID_magma_ctr : NID_kuznyechik_ctr,
                             &kek[32], magma ? NID_magma_mac : NID_kuznyechik_mac, mac_key.data(), iv.data(), iv.size(),
                             expected.data(), &len),
              0);
    compare(magma ? VSH_KEXP15_MAGMA : VSH_KEXP15_KUZNYECHIK, kek, iv, key, expected);
  }
}

TEST_F(WrapTest, Gost28147) {
  static constexpr std::pair<const char*, vsh_sbox> kSboxes[] = {
      {"Gost28147_TC26ParamSetZ", VSH_SBOX_TC26_Z},           {"Gost28147_CryptoProParamSetA", VSH_SBOX_CRYPTOPRO_A},
      {"Gost28147_CryptoProParamSetB", VSH_SBOX_CRYPTOPRO_B}, {"Gost28147_CryptoProParamSetC", VSH_SBOX_CRYPTOPRO_C},
      {"Gost28147_CryptoProParamSetD", VSH_SBOX_CRYPTOPRO_D}, {"Gost28147_TestParamSet", VSH_SBOX_28147_TEST}};
  static constexpr uint8_t kLabel[] = {0x26, 0xbd, 0xb8, 0x78};
  for (const auto& [symbol, sbox] : kSboxes) {
    ASSERT_TRUE(choose_sboxes(symbol)) << symbol;
    vershina::Options o;
    o.sbox = sbox;
    for (int i = 0; i < kComparisons / 6 + 1; ++i) {
      const Bytes kek = bytes(32), ukm = bytes(8), key = bytes(32);
      compare(VSH_WRAP_GOST28147, kek, ukm, key, wrapped(kek, ukm, key), o);
      Bytes expected(44);
      ASSERT_EQ(engine_.wrap(context_, kek.data(), ukm.data(), key.data(), expected.data()), 1);
      compare(VSH_WRAP_CRYPTOPRO, kek, ukm, key, expected, o);
      const Bytes seed = bytes(8 + random_() % 9), secret = bytes(i % 2 ? 32 : 64);
      Bytes derived(32);
      ASSERT_GT(engine_.kdf(derived.data(), 32, kek.data(), 32, kLabel, 4, seed.data(), seed.size(), 1), 0);
      compare(VSH_WRAP_RFC7836, kek, seed, secret, wrapped(derived, seed, secret), o);
    }
  }
}

}  // namespace

#else

TEST(WrapTest, GostEngine) { GTEST_SKIP() << "SKIPPED: key wraps: this build has no OpenSSL, or no link.h"; }

#endif
