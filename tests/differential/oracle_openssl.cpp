// OpenSSL 3 with the GOST engine (gost-engine; Debian package libengine-gost-openssl), through EVP and ENGINE.
//
// Its algorithms and differences:
//  - Kuznyechik ECB, CBC, CFB, OFB, CTR and MAC; Magma CBC, CTR and MAC (ECB since 3.0.2). Registers of one block only:
//    EVP has no room for longer IVs. CTR counts over the whole block, as the standard says.
//  - GOST 28147-89: CFB under the name gost89, CBC under gost89-cbc; their S-box set is a parameter of the engine
//    ("CRYPT_PARAMS"), not of the context, and the sets of GOST R 34.11-94 are missing. CNT with two sets only, each
//    with its own name: gost89-cnt is CryptoPro-A, gost89-cnt-12 is param-Z. CFB, CNT and MAC change the key after
//    every 1024 bytes (CryptoPro key meshing), whatever the set, so longer messages cannot be compared.
//  - md_gost94 of an empty message takes a block of zeros, which no other implementation does.
//  - MGM under the names kuznyechik-mgm and magma-mgm, with any tag length; newer
//    engines than 3.0.1 have it.
//  - gost-mac of at most one block adds a block of zeros (GOST 28147-89 requires at least two blocks).
#include "oracle.hpp"

#define OPENSSL_SUPPRESS_DEPRECATED  // the engine interface, deprecated by OpenSSL 3 in favour of providers
#include <openssl/opensslconf.h>

#if defined(OPENSSL_NO_ENGINE) || !__has_include(<openssl/engine.h>)

namespace vsh::oracle {
std::unique_ptr<Oracle> make_openssl(std::string* why) {
  *why = "this OpenSSL has no engines";
  return nullptr;
}
}  // namespace vsh::oracle

#else

#include <openssl/crypto.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <map>
#include <stdexcept>

namespace vsh::oracle {
namespace {

[[noreturn]] void fail(const std::string& what) {
  char text[256] = "no reason given";
  if (const unsigned long code = ERR_get_error()) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  throw std::runtime_error("OpenSSL: " + what + ": " + text);
}

void check(bool ok, const char* what) {
  if (!ok) fail(what);
}

const std::map<std::string, const char*> kCiphers = {
    {"kuznyechik-ecb", "kuznyechik-ecb"},
    {"kuznyechik-cbc", "kuznyechik-cbc"},
    {"kuznyechik-cfb", "kuznyechik-cfb"},
    {"kuznyechik-ofb", "kuznyechik-ofb"},
    {"kuznyechik-ctr", "kuznyechik-ctr"},
    {"magma-ecb", "magma-ecb"},
    {"magma-cbc", "magma-cbc"},
    {"magma-ctr", "magma-ctr"},
    {"kuznyechik-ctr-acpkm", "kuznyechik-ctr-acpkm"},
    {"magma-ctr-acpkm", "magma-ctr-acpkm"},
    {"gost28147-cfb", "gost89"},
    {"gost28147-cbc", "gost89-cbc"},
    {"gost28147-cnt+cryptopro-a", "gost89-cnt"},
    {"gost28147-cnt+tc26-z", "gost89-cnt-12"},
};

const std::map<std::string, const char*> kSboxes = {
    {"tc26-z", "id-tc26-gost-28147-param-Z"},
    {"cryptopro-a", "id-Gost28147-89-CryptoPro-A-ParamSet"},
    {"cryptopro-b", "id-Gost28147-89-CryptoPro-B-ParamSet"},
    {"cryptopro-c", "id-Gost28147-89-CryptoPro-C-ParamSet"},
    {"cryptopro-d", "id-Gost28147-89-CryptoPro-D-ParamSet"},
    {"test-28147", "id-Gost28147-89-TestParamSet"},
};

class OpenSsl final : public Oracle {
 public:
  explicit OpenSsl(ENGINE* engine) : engine_(engine) {}
  ~OpenSsl() override {
    ENGINE_finish(engine_);
    ENGINE_free(engine_);
  }

  std::string name() const override {
    return std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING) + " with gost-engine";
  }

  bool has_blocks() const override { return true; }

  bool meshes(const std::string& algorithm) const override {
    return algorithm == "gost28147-cfb" || algorithm == "gost28147-cnt" || algorithm == "gost28147-imit";
  }
  size_t max_len(const std::string& algorithm) const override { return meshes(algorithm) ? 1024 : SIZE_MAX; }

  std::optional<Bytes> crypt(const Cipher& c, const Bytes& data) override {
    const bool cnt = c.name == "gost28147-cnt";
    const auto found = kCiphers.find(cnt ? c.name + "+" + c.sbox : c.name);
    if (found == kCiphers.end() || c.segment != 0) return std::nullopt;
    if (c.padding != "none" && c.padding != "pkcs7") return std::nullopt;
    const EVP_CIPHER* cipher = ENGINE_get_cipher(engine_, OBJ_sn2nid(found->second));
    if (cipher == nullptr) {
      ERR_clear_error();
      return std::nullopt;
    }
    if (static_cast<size_t>(EVP_CIPHER_get_iv_length(cipher)) != c.iv.size()) return std::nullopt;
    if (!cnt && !c.sbox.empty() && !choose_sbox(c.sbox)) return std::nullopt;

    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                  EVP_CIPHER_CTX_free);
    const uint8_t* iv = c.iv.empty() ? nullptr : c.iv.data();
    check(EVP_CipherInit_ex(context.get(), cipher, engine_, c.key.data(), iv, c.encrypt) == 1, "EVP_CipherInit_ex");
    if (c.section)
      check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_KEY_MESH, static_cast<int>(c.section), nullptr) == 1,
            "section");
    check(EVP_CIPHER_CTX_set_padding(context.get(), c.padding == "pkcs7") == 1, "EVP_CIPHER_CTX_set_padding");
    Bytes out(data.size() + 2 * EVP_MAX_BLOCK_LENGTH);
    int len = 0, last = 0;
    if (!data.empty()) {
      check(EVP_CipherUpdate(context.get(), out.data(), &len, data.data(), static_cast<int>(data.size())) == 1,
            "EVP_CipherUpdate");
    }
    check(EVP_CipherFinal_ex(context.get(), out.data() + len, &last) == 1, "EVP_CipherFinal_ex");
    out.resize(static_cast<size_t>(len + last));
    return out;
  }

  std::optional<Bytes> seal(const Aead& a, const Bytes& text) override {
    const auto context = aead_context(a, true);
    if (!context) return std::nullopt;
    Bytes out(text.size() + a.tag_len);
    int len = 0;
    check(EVP_EncryptUpdate(context.get(), out.data(), &len, text.data(), static_cast<int>(text.size())) == 1 ||
              text.empty(),
          "EVP_EncryptUpdate");
    uint8_t nothing[EVP_MAX_BLOCK_LENGTH];
    check(EVP_EncryptFinal_ex(context.get(), nothing, &len) == 1, "EVP_EncryptFinal_ex");
    check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(a.tag_len),
                              out.data() + text.size()) == 1,
          "EVP_CTRL_AEAD_GET_TAG");
    return out;
  }

  std::optional<Bytes> open(const Aead& a, const Bytes& sealed) override {
    const auto context = aead_context(a, false);
    if (!context) return std::nullopt;
    Bytes tag(sealed.end() - static_cast<std::ptrdiff_t>(a.tag_len), sealed.end());
    Bytes out(sealed.size() - a.tag_len);
    int len = 0;
    check(EVP_DecryptUpdate(context.get(), out.data(), &len, sealed.data(), static_cast<int>(out.size())) == 1 ||
              out.empty(),
          "EVP_DecryptUpdate");
    check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(a.tag_len), tag.data()) == 1,
          "EVP_CTRL_AEAD_SET_TAG");
    uint8_t nothing[EVP_MAX_BLOCK_LENGTH];
    const bool right = EVP_DecryptFinal_ex(context.get(), nothing, &len) == 1;
    ERR_clear_error();
    if (!right) return std::nullopt;
    return out;
  }

  std::optional<Bytes> hash(const std::string& name, const Bytes& data) override {
    const EVP_MD* md = digest(name);
    if (md == nullptr) return std::nullopt;
    if (name == "gost94-cryptopro" && data.empty()) return std::nullopt;
    Bytes out(static_cast<size_t>(EVP_MD_get_size(md)));
    check(EVP_Digest(data.data(), data.size(), out.data(), nullptr, md, engine_) == 1, "EVP_Digest");
    return out;
  }

  std::optional<Bytes> mac(const std::string& name, const Bytes& key, const std::string& sbox, const Bytes& data,
                           size_t tag_len) override {
    if (name.starts_with("hmac-")) return hmac(name.substr(5), key, data, tag_len);
    int nid = NID_undef;
    if (name == "kuznyechik-mac") nid = NID_kuznyechik_mac;
    if (name == "magma-mac") nid = NID_magma_mac;
    if (name == "gost28147-imit") nid = NID_id_Gost28147_89_MAC;
    if (nid == NID_undef || tag_len == 0) return std::nullopt;
    if (!sbox.empty() && !kSboxes.contains(sbox)) return std::nullopt;

    const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> generator(EVP_PKEY_CTX_new_id(nid, engine_),
                                                                                EVP_PKEY_CTX_free);
    check(generator != nullptr && EVP_PKEY_keygen_init(generator.get()) == 1, "EVP_PKEY_keygen_init");
    check(EVP_PKEY_CTX_ctrl(generator.get(), -1, -1, EVP_PKEY_CTRL_SET_MAC_KEY, static_cast<int>(key.size()),
                            const_cast<uint8_t*>(key.data())) > 0,
          "setting the MAC key");
    if (!sbox.empty()) {
      check(EVP_PKEY_CTX_ctrl_str(generator.get(), "paramset", kSboxes.at(sbox)) > 0, "setting the S-box set");
    }
    EVP_PKEY* raw = nullptr;
    check(EVP_PKEY_keygen(generator.get(), &raw) == 1, "EVP_PKEY_keygen");
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pkey(raw, EVP_PKEY_free);

    const EVP_MD* md = ENGINE_get_digest(engine_, nid);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    EVP_PKEY_CTX* signer = nullptr;
    check(EVP_DigestSignInit(context.get(), &signer, md, engine_, pkey.get()) == 1, "EVP_DigestSignInit");
    // Engines before 3.0.3 take no size above 8; their own default for Kuznyechik is the whole block.
    if (tag_len <= 8)
      check(EVP_PKEY_CTX_ctrl_str(signer, "size", std::to_string(tag_len).c_str()) > 0, "setting the MAC length");
    check(EVP_DigestSignUpdate(context.get(), data.data(), data.size()) == 1, "EVP_DigestSignUpdate");
    Bytes out(64);
    size_t len = out.size();
    check(EVP_DigestSignFinal(context.get(), out.data(), &len) == 1, "EVP_DigestSignFinal");
    if (len < tag_len) return std::nullopt;
    out.resize(tag_len);
    return out;
  }

  std::optional<Bytes> pbkdf2(const Bytes& password, const Bytes& salt, uint32_t iterations, size_t len) override {
    Bytes out(len);
    check(PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(password.data()), static_cast<int>(password.size()),
                            salt.data(), static_cast<int>(salt.size()), static_cast<int>(iterations),
                            digest("streebog512"), static_cast<int>(len), out.data()) == 1,
          "PKCS5_PBKDF2_HMAC");
    return out;
  }

  std::optional<Bytes> omac_acpkm(const std::string& name, const Bytes& key, size_t section, size_t master_section,
                                  const Bytes& data) override {
    // The engine derives the first section's keys when the key is set, before T* can be.
    if (master_section < 48) return std::nullopt;
    const bool is_kuznyechik = name == "kuznyechik-omac-acpkm";
    const EVP_MD* md =
        ENGINE_get_digest(engine_, is_kuznyechik ? NID_kuznyechik_ctr_acpkm_omac : NID_magma_ctr_acpkm_omac);
    if (md == nullptr) {
      ERR_clear_error();
      return std::nullopt;
    }
    constexpr int kSetKey = EVP_MD_CTRL_ALG_CTRL + 4;  // the engine's own EVP_MD_CTRL_SET_KEY
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    int master = static_cast<int>(master_section);
    check(EVP_DigestInit_ex(context.get(), md, engine_) == 1, "EVP_DigestInit_ex");
    check(EVP_MD_CTX_ctrl(context.get(), kSetKey, static_cast<int>(key.size()), const_cast<uint8_t*>(key.data())) > 0,
          "setting the MAC key");
    check(EVP_MD_CTX_ctrl(context.get(), EVP_CTRL_KEY_MESH, static_cast<int>(section), &master) > 0, "sections");
    check(EVP_DigestUpdate(context.get(), data.data(), data.size()) == 1, "EVP_DigestUpdate");
    Bytes out(EVP_MAX_MD_SIZE);
    unsigned len = 0;
    check(EVP_DigestFinal_ex(context.get(), out.data(), &len) == 1, "EVP_DigestFinal_ex");
    out.resize(len);
    return out;
  }

  // CMS sets the parameters between two initialisations, and takes the tag as an attribute.
  std::optional<Sealed> seal_cms(const std::string& name, const Bytes& key, const Bytes& iv,
                                 const Bytes& text) override {
    const EVP_CIPHER* cipher = ENGINE_get_cipher(engine_, OBJ_sn2nid(name.c_str()));
    if (cipher == nullptr) {
      ERR_clear_error();
      return std::nullopt;
    }
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                  EVP_CIPHER_CTX_free);
    check(EVP_CipherInit_ex(context.get(), cipher, engine_, key.data(), iv.data(), 1) == 1, "EVP_CipherInit_ex");
    const std::unique_ptr<ASN1_TYPE, decltype(&ASN1_TYPE_free)> parameters(ASN1_TYPE_new(), ASN1_TYPE_free);
    check(EVP_CIPHER_param_to_asn1(context.get(), parameters.get()) > 0, "parameters");  // sections of CMS from here on
    // SEQUENCE { OCTET STRING ukm }
    const ASN1_STRING* sequence = parameters->value.sequence;
    const uint8_t* der = ASN1_STRING_get0_data(sequence);
    Sealed sealed;
    sealed.nonce.assign(der + 4, der + ASN1_STRING_length(sequence));
    sealed.message.resize(text.size() + EVP_MAX_BLOCK_LENGTH);
    int len = 0, last = 0;
    if (!text.empty())
      check(
          EVP_CipherUpdate(context.get(), sealed.message.data(), &len, text.data(), static_cast<int>(text.size())) == 1,
          "EVP_CipherUpdate");
    check(EVP_CipherFinal_ex(context.get(), sealed.message.data() + len, &last) == 1, "EVP_CipherFinal_ex");
    sealed.message.resize(static_cast<size_t>(len + last));
    STACK_OF(X509_ATTRIBUTE)* attributes = sk_X509_ATTRIBUTE_new_null();
    {
#ifdef __SANITIZE_ADDRESS__
      const __lsan::ScopedDisabler engine_leak;  // the engine (3.0) never frees the attribute's OBJECT IDENTIFIER
#endif
      check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_PROCESS_UNPROTECTED, 1, attributes) > 0, "the tag");
    }
    const ASN1_STRING* tag = static_cast<const ASN1_STRING*>(
        X509_ATTRIBUTE_get0_data(sk_X509_ATTRIBUTE_value(attributes, 0), 0, V_ASN1_OCTET_STRING, nullptr));
    check(tag != nullptr, "the tag's attribute");
    sealed.message.insert(sealed.message.end(), ASN1_STRING_get0_data(tag),
                          ASN1_STRING_get0_data(tag) + ASN1_STRING_length(tag));
    sk_X509_ATTRIBUTE_pop_free(attributes, X509_ATTRIBUTE_free);
    return sealed;
  }

 private:
  // Null for another name.
  const EVP_MD* digest(const std::string& name) {
    const char* sn = name == "streebog256"        ? SN_id_GostR3411_2012_256
                     : name == "streebog512"      ? SN_id_GostR3411_2012_512
                     : name == "gost94-cryptopro" ? SN_id_GostR3411_94
                                                  : nullptr;
    if (sn == nullptr) return nullptr;
    const EVP_MD* md = ENGINE_get_digest(engine_, OBJ_sn2nid(sn));
    if (md == nullptr) fail(name);
    return md;
  }

  std::optional<Bytes> hmac(const std::string& hash, const Bytes& key, const Bytes& data, size_t tag_len) {
    Bytes out(EVP_MAX_MD_SIZE);
    check(HMAC(digest(hash), key.data(), static_cast<int>(key.size()), data.data(), data.size(), out.data(), nullptr) !=
              nullptr,
          "HMAC");
    out.resize(tag_len);
    return out;
  }

  struct FreeCipher {
    void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
  };
  // With key, nonce and associated data; null if the engine has no such cipher.
  std::unique_ptr<EVP_CIPHER_CTX, FreeCipher> aead_context(const Aead& a, bool encrypt) {
    if (a.name != "kuznyechik-mgm" && a.name != "magma-mgm") return nullptr;
    const EVP_CIPHER* const cipher = ENGINE_get_cipher(engine_, OBJ_sn2nid(a.name.c_str()));
    if (cipher == nullptr) {
      ERR_clear_error();
      return nullptr;
    }
    std::unique_ptr<EVP_CIPHER_CTX, FreeCipher> context(EVP_CIPHER_CTX_new());
    check(EVP_CipherInit_ex(context.get(), cipher, engine_, nullptr, nullptr, encrypt) == 1, "EVP_CipherInit_ex");
    check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(a.nonce.size()), nullptr) == 1,
          "EVP_CTRL_AEAD_SET_IVLEN");
    check(EVP_CipherInit_ex(context.get(), nullptr, nullptr, a.key.data(), a.nonce.data(), encrypt) == 1,
          "EVP_CipherInit_ex");
    int len = 0;
    if (!a.data.empty()) {
      check(EVP_CipherUpdate(context.get(), nullptr, &len, a.data.data(), static_cast<int>(a.data.size())) == 1,
            "EVP_CipherUpdate of associated data");
    }
    return context;
  }

  bool choose_sbox(const std::string& sbox) {
    const auto found = kSboxes.find(sbox);
    if (found == kSboxes.end()) return false;
    check(ENGINE_ctrl_cmd_string(engine_, "CRYPT_PARAMS", found->second, 0) == 1, "CRYPT_PARAMS");
    return true;
  }

  ENGINE* engine_;
};

}  // namespace

std::unique_ptr<Oracle> make_openssl(std::string* why) {
  OPENSSL_init_crypto(OPENSSL_INIT_ENGINE_ALL_BUILTIN, nullptr);
  ENGINE* engine = ENGINE_by_id("gost");
  if (engine == nullptr) {
    ERR_clear_error();
    *why = "no engine named gost; Debian has it in libengine-gost-openssl";
    return nullptr;
  }
  if (ENGINE_init(engine) != 1 || ENGINE_set_default(engine, ENGINE_METHOD_ALL) != 1) {
    ENGINE_free(engine);
    ERR_clear_error();
    *why = "the engine gost does not start";
    return nullptr;
  }
  return std::make_unique<OpenSsl>(engine);
}

}  // namespace vsh::oracle

#endif
