// libgcrypt: GOST 28147-89 with every named S-box set, IMIT, Streebog. It has neither Kuznyechik nor Magma's byte
// order.
//
// GCRY_CIPHER_GOST28147 has no key meshing (that is GCRY_CIPHER_GOST28147_MESH); its CTR is not CNT and is left out,
// CNT comes from composed.cpp. IMIT has no key meshing either; to a message of at most one block it adds a block of
// zeros.
#include "oracle.hpp"

#include <gcrypt.h>

#include <map>
#include <stdexcept>

namespace vsh::oracle {
namespace {

void check(gcry_error_t error, const char* what) {
  if (error) throw std::runtime_error(std::string("libgcrypt: ") + what + ": " + gcry_strerror(error));
}

const std::map<std::string, const char*> kSboxes = {
    {"tc26-z", "1.2.643.7.1.2.5.1.1"},    {"cryptopro-a", "1.2.643.2.2.31.1"},
    {"cryptopro-b", "1.2.643.2.2.31.2"},  {"cryptopro-c", "1.2.643.2.2.31.3"},
    {"cryptopro-d", "1.2.643.2.2.31.4"},  {"test-28147", "1.2.643.2.2.31.0"},
    {"test-3411-94", "1.2.643.2.2.30.0"}, {"cryptopro-3411-94", "1.2.643.2.2.30.1"},
};

class Gcrypt final : public Oracle {
 public:
  std::string name() const override { return std::string("libgcrypt ") + gcry_check_version(nullptr); }
  bool has_blocks() const override { return true; }

  std::optional<Bytes> crypt(const Cipher& c, const Bytes& data) override {
    int mode;
    if (c.name == "gost28147-ecb") {
      mode = GCRY_CIPHER_MODE_ECB;
    } else if (c.name == "gost28147-cbc") {
      mode = GCRY_CIPHER_MODE_CBC;
    } else if (c.name == "gost28147-cfb") {
      mode = GCRY_CIPHER_MODE_CFB;
    } else {
      return std::nullopt;
    }
    const auto sbox = kSboxes.find(c.sbox);
    if (sbox == kSboxes.end() || c.padding != "none" || c.segment != 0) return std::nullopt;

    gcry_cipher_hd_t raw;
    check(gcry_cipher_open(&raw, GCRY_CIPHER_GOST28147, mode, 0), "gcry_cipher_open");
    const std::unique_ptr<gcry_cipher_handle, decltype(&gcry_cipher_close)> context(raw, gcry_cipher_close);
    check(gcry_cipher_setkey(raw, c.key.data(), c.key.size()), "gcry_cipher_setkey");
    check(gcry_cipher_ctl(raw, GCRYCTL_SET_SBOX, const_cast<char*>(sbox->second), 0), "GCRYCTL_SET_SBOX");
    if (!c.iv.empty()) check(gcry_cipher_setiv(raw, c.iv.data(), c.iv.size()), "gcry_cipher_setiv");
    Bytes out(data.size());
    if (!data.empty()) {
      check((c.encrypt ? gcry_cipher_encrypt : gcry_cipher_decrypt)(raw, out.data(), out.size(), data.data(),
                                                                    data.size()),
            "gcry_cipher_encrypt or _decrypt");
    }
    return out;
  }

  std::optional<Bytes> hash(const std::string& name, const Bytes& data) override {
    const int algorithm = name == "streebog256"        ? GCRY_MD_STRIBOG256
                          : name == "streebog512"      ? GCRY_MD_STRIBOG512
                          : name == "gost94-cryptopro" ? GCRY_MD_GOSTR3411_CP
                          : name == "gost94-test"      ? GCRY_MD_GOSTR3411_94
                                                       : GCRY_MD_NONE;
    if (algorithm == GCRY_MD_NONE) return std::nullopt;
    Bytes out(gcry_md_get_algo_dlen(algorithm));
    gcry_md_hash_buffer(algorithm, out.data(), data.data(), data.size());
    return out;
  }

  std::optional<Bytes> mac(const std::string& name, const Bytes& key, const std::string& sbox, const Bytes& data,
                           size_t tag_len) override {
    if (name == "hmac-streebog256") return hmac(GCRY_MAC_HMAC_STRIBOG256, key, data, tag_len);
    if (name == "hmac-streebog512") return hmac(GCRY_MAC_HMAC_STRIBOG512, key, data, tag_len);
    const auto found = kSboxes.find(sbox);
    if (name != "gost28147-imit" || found == kSboxes.end() ||
        tag_len > gcry_mac_get_algo_maclen(GCRY_MAC_GOST28147_IMIT))
      return std::nullopt;
    gcry_mac_hd_t raw;
    check(gcry_mac_open(&raw, GCRY_MAC_GOST28147_IMIT, 0, nullptr), "gcry_mac_open");
    const std::unique_ptr<gcry_mac_handle, decltype(&gcry_mac_close)> context(raw, gcry_mac_close);
    check(gcry_mac_setkey(raw, key.data(), key.size()), "gcry_mac_setkey");
    check(gcry_mac_ctl(raw, GCRYCTL_SET_SBOX, const_cast<char*>(found->second), 0), "GCRYCTL_SET_SBOX");
    const uint8_t zeros[8] = {};
    check(gcry_mac_setiv(raw, zeros, sizeof zeros), "gcry_mac_setiv");
    check(gcry_mac_write(raw, data.data(), data.size()), "gcry_mac_write");
    Bytes out(8);
    size_t len = tag_len;
    check(gcry_mac_read(raw, out.data(), &len), "gcry_mac_read");
    out.resize(len);
    return out;
  }

  std::optional<Bytes> pbkdf2(const Bytes& password, const Bytes& salt, uint32_t iterations, size_t len) override {
    if (salt.empty()) return std::nullopt;  // which it refuses
    Bytes out(len);
    check(gcry_kdf_derive(password.data(), password.size(), GCRY_KDF_PBKDF2, GCRY_MD_STRIBOG512, salt.data(),
                          salt.size(), iterations, len, out.data()),
          "gcry_kdf_derive");
    return out;
  }

 private:
  static Bytes hmac(int algorithm, const Bytes& key, const Bytes& data, size_t tag_len) {
    gcry_mac_hd_t raw;
    check(gcry_mac_open(&raw, algorithm, 0, nullptr), "gcry_mac_open");
    const std::unique_ptr<gcry_mac_handle, decltype(&gcry_mac_close)> context(raw, gcry_mac_close);
    check(gcry_mac_setkey(raw, key.data(), key.size()), "gcry_mac_setkey");
    check(gcry_mac_write(raw, data.data(), data.size()), "gcry_mac_write");
    Bytes out(64);
    size_t len = out.size();
    check(gcry_mac_read(raw, out.data(), &len), "gcry_mac_read");
    out.resize(tag_len);
    return out;
  }
};

}  // namespace

std::unique_ptr<Oracle> make_gcrypt(std::string* why) {
  if (gcry_check_version("1.10.0") == nullptr) {
    *why = "older than 1.10";
    return nullptr;
  }
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  if (gcry_cipher_test_algo(GCRY_CIPHER_GOST28147) || gcry_md_test_algo(GCRY_MD_STRIBOG256)) {
    *why = "built without the GOST algorithms, or in FIPS mode";
    return nullptr;
  }
  return std::make_unique<Gcrypt>();
}

}  // namespace vsh::oracle
