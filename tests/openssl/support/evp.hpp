// OpenSSL's objects for the tests of the provider: owned by smart pointers; and texts of errors.
#pragma once

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "vershina/vershina.h"

// Defined under AddressSanitizer.
extern "C" void __lsan_disable() __attribute__((weak));
extern "C" void __lsan_enable() __attribute__((weak));

namespace vsh::test::evp {

using Bytes = std::vector<uint8_t>;

template <auto free>
struct FreeBy {
  template <class T>
  void operator()(T* p) const {
    free(p);
  }
};
using Cipher = std::unique_ptr<EVP_CIPHER, FreeBy<EVP_CIPHER_free>>;
using CipherCtx = std::unique_ptr<EVP_CIPHER_CTX, FreeBy<EVP_CIPHER_CTX_free>>;
using Md = std::unique_ptr<EVP_MD, FreeBy<EVP_MD_free>>;
using MdCtx = std::unique_ptr<EVP_MD_CTX, FreeBy<EVP_MD_CTX_free>>;
using Mac = std::unique_ptr<EVP_MAC, FreeBy<EVP_MAC_free>>;
using MacCtx = std::unique_ptr<EVP_MAC_CTX, FreeBy<EVP_MAC_CTX_free>>;
using Kdf = std::unique_ptr<EVP_KDF, FreeBy<EVP_KDF_free>>;
using KdfCtx = std::unique_ptr<EVP_KDF_CTX, FreeBy<EVP_KDF_CTX_free>>;

// Returns the text of the error queue and empties it.
inline std::string errors() {
  std::string all;
  const char* data;
  int flags;
  while (const unsigned long e = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags))
    all += std::string(ERR_error_string(e, nullptr)) + (flags & ERR_TXT_STRING ? std::string(": ") + data : "") + "\n";
  return all;
}

// A library context with its own providers, or the default one.
class Library {
 public:
  explicit Library(const std::vector<std::string>& names, OSSL_LIB_CTX* context = OSSL_LIB_CTX_new())
      : context_(context) {
    for (const std::string& name : names) {
      // The module under test from the build; others from the system.
      OSSL_PROVIDER_set_default_search_path(context_, name == "vershina" ? VSH_MODULES_DIR : nullptr);
      const bool leaks = name == "gostprov" && __lsan_disable;  // its key methods, on being loaded
      if (leaks) __lsan_disable();
      add(name);
      if (leaks) __lsan_enable();
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    for (OSSL_PROVIDER* p : providers_) OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(context_);
  }

  const std::string& missing() const { return missing_; }  // empty where all were loaded
  OSSL_LIB_CTX* context() const { return context_; }
  OSSL_PROVIDER* provider(size_t i) const { return providers_[i]; }

  Cipher cipher(const char* name, const char* properties = nullptr) const {
    return Cipher(EVP_CIPHER_fetch(context_, name, properties));
  }
  Md md(const char* name) const { return Md(EVP_MD_fetch(context_, name, nullptr)); }
  Mac mac(const char* name) const { return Mac(EVP_MAC_fetch(context_, name, nullptr)); }
  Kdf kdf(const char* name) const { return Kdf(EVP_KDF_fetch(context_, name, nullptr)); }

 protected:
  void add(const std::string& name) {
    if (OSSL_PROVIDER* const p = OSSL_PROVIDER_load(context_, name.c_str())) providers_.push_back(p);
    else missing_ += name + ": " + errors();
  }
  std::string missing_;

 private:
  OSSL_LIB_CTX* context_;
  std::vector<OSSL_PROVIDER*> providers_;
};

// The provider under test, loaded by a configuration file with the line in its section.
class ConfiguredLibrary : public Library {
 public:
  explicit ConfiguredLibrary(const std::string& line) : Library({}) {
    const std::string path = testing::TempDir() + "vershina-" + std::to_string(getpid()) + ".cnf";
    std::ofstream(path) << "openssl_conf = init\n[init]\nproviders = providers\n[providers]\nvershina = vershina\n"
                        << "[vershina]\nmodule = " VSH_MODULES_DIR "/vershina.so\n"
                        << line << "\n";
    // Not activated there: OpenSSL would hide why a provider refuses to load.
    if (!OSSL_LIB_CTX_load_config(context(), path.c_str())) missing_ = errors();
    std::remove(path.c_str());
    add("vershina");
  }
};

// The provider under test; it and the other live until the tests end.
const Library& vershina();
// The GOST engine's provider, or none: then missing() is not empty.
const Library& gostprov();

#define VSH_NEEDS_GOSTPROV()         \
  if (!gostprov().missing().empty()) \
  GTEST_SKIP() << "the GOST engine's provider is not installed: " << gostprov().missing()

struct CipherName {
  const char* name;
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  bool in_gostprov;
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;

  size_t iv_len() const { return vsh_iv_len(algorithm, mode); }
  bool is_block_mode() const { return mode == VSH_ECB || mode == VSH_CBC; }
  bool is_counter_mode() const { return mode == VSH_CTR || mode == VSH_CTR_ACPKM || mode == VSH_CNT; }
  vsh_options options(bool pads = true) const {
    vsh_options o = VSH_OPTIONS_INIT;
    o.sbox = sbox;
    o.key_meshing = meshing;
    if (is_block_mode()) o.padding = pads ? VSH_PADDING_PKCS7 : VSH_PADDING_NONE;
    return o;
  }
};

// Written independently, so that a wrong row of the provider's table is detected.
inline constexpr CipherName kCiphers[] = {
    {"kuznyechik-ecb", VSH_KUZNYECHIK, VSH_ECB, true},
    {"kuznyechik-cbc", VSH_KUZNYECHIK, VSH_CBC, true},
    {"kuznyechik-cfb", VSH_KUZNYECHIK, VSH_CFB, true},
    {"kuznyechik-ofb", VSH_KUZNYECHIK, VSH_OFB, true},
    {"kuznyechik-ctr", VSH_KUZNYECHIK, VSH_CTR, true},
    {"kuznyechik-ctr-acpkm", VSH_KUZNYECHIK, VSH_CTR_ACPKM, true},
    {"magma-ecb", VSH_MAGMA, VSH_ECB, false},
    {"magma-cbc", VSH_MAGMA, VSH_CBC, true},
    {"magma-cfb", VSH_MAGMA, VSH_CFB, false},
    {"magma-ofb", VSH_MAGMA, VSH_OFB, false},
    {"magma-ctr", VSH_MAGMA, VSH_CTR, true},
    {"magma-ctr-acpkm", VSH_MAGMA, VSH_CTR_ACPKM, true},
    {"gost89", VSH_GOST28147, VSH_CFB, true, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO},
    {"gost89-cnt", VSH_GOST28147, VSH_CNT, true, VSH_SBOX_CRYPTOPRO_A, VSH_MESHING_CRYPTOPRO},
    {"gost89-cnt-12", VSH_GOST28147, VSH_CNT, true, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO},
    {"gost89-cbc", VSH_GOST28147, VSH_CBC, true, VSH_SBOX_TC26_Z},
    {"gost89-ecb", VSH_GOST28147, VSH_ECB, false, VSH_SBOX_TC26_Z},
};

inline const Bytes kKey = Random(1).bytes(64);
inline const Bytes kIv = Random(2).bytes(16);

// A fresh context with key and IV.
inline CipherCtx start(const Library& library, const char* name, bool encrypt, const Bytes& key = kKey,
                       const Bytes& iv = kIv, const OSSL_PARAM* params = nullptr) {
  const Cipher cipher = library.cipher(name);
  CipherCtx c(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX_set_flags(c.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  EXPECT_TRUE(cipher) << name << errors();
  EXPECT_TRUE(EVP_CipherInit_ex2(c.get(), cipher.get(), key.data(), iv.data(), encrypt, params)) << name << errors();
  return c;
}

// Appends the output; returns false on an error.
inline bool update(EVP_CIPHER_CTX* c, Bytes& out, const uint8_t* in, size_t len) {
  const size_t before = out.size();
  int written = 0;
  out.resize(before + len + EVP_MAX_BLOCK_LENGTH);
  const bool ok = EVP_CipherUpdate(c, out.data() + before, &written, in, static_cast<int>(len));
  out.resize(before + static_cast<size_t>(ok ? written : 0));
  return ok;
}
inline bool final(EVP_CIPHER_CTX* c, Bytes& out) {
  uint8_t last[EVP_MAX_BLOCK_LENGTH];
  int written = 0;
  const bool ok = EVP_CipherFinal_ex(c, last, &written);
  if (ok) out.insert(out.end(), last, last + written);
  return ok;
}

// A whole message in one piece.
inline Bytes crypt(EVP_CIPHER_CTX* c, const Bytes& in) {
  Bytes out;
  EXPECT_TRUE((in.empty() || update(c, out, in.data(), in.size())) && final(c, out)) << errors();
  return out;
}

// The same by the C ABI.
inline Bytes reference(const CipherName& n, bool encrypt, const Bytes& in, const vsh_options& o,
                       const Bytes& key = kKey, const Bytes& iv = kIv) {
  Bytes out(in.size() + VSH_MAX_BLOCK_LEN);
  size_t len = 0;
  EXPECT_EQ((encrypt ? vsh_encrypt : vsh_decrypt)(out.data(), out.size(), &len, n.algorithm, n.mode, key.data(), 32,
                                                  iv.data(), n.iv_len(), in.data(), in.size(), &o),
            VSH_OK)
      << n.name;
  out.resize(len);
  return out;
}

}  // namespace vsh::test::evp
