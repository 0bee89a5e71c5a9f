// Botan: GOST 28147-89 with the two S-box sets of GOST R 34.11-94, in ECB, CBC and CFB; Streebog. Botan 3 dropped the
// cipher and is used only for Streebog.
#include "oracle.hpp"

#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/pwdhash.h>
#include <botan/version.h>

#include <map>

namespace vsh::oracle {
namespace {

#if BOTAN_VERSION_MAJOR < 3
const std::map<std::string, std::string> kSboxes = {
    {"test-3411-94", "GOST-28147-89(R3411_94_TestParam)"},
    {"cryptopro-3411-94", "GOST-28147-89(R3411_CryptoPro)"},
};
#endif

class BotanOracle final : public Oracle {
 public:
  std::string name() const override { return "Botan " + Botan::short_version_string(); }

#if BOTAN_VERSION_MAJOR < 3
  bool has_blocks() const override { return true; }

  std::optional<Bytes> crypt(const Cipher& c, const Bytes& data) override {
    const auto sbox = kSboxes.find(c.sbox);
    if (sbox == kSboxes.end() || c.segment != 0) return std::nullopt;
    if (c.name == "gost28147-ecb") {
      if (c.padding != "none") return std::nullopt;
      const auto cipher = Botan::BlockCipher::create_or_throw(sbox->second);
      cipher->set_key(c.key);
      Bytes out(data.size());
      (c.encrypt ? cipher->encrypt_n(data.data(), out.data(), data.size() / 8)
                 : cipher->decrypt_n(data.data(), out.data(), data.size() / 8));
      return out;
    }
    std::string mode = sbox->second;
    if (c.name == "gost28147-cbc" && c.padding == "none") {
      mode += "/CBC/NoPadding";
    } else if (c.name == "gost28147-cbc" && c.padding == "pkcs7") {
      mode += "/CBC/PKCS7";
    } else if (c.name == "gost28147-cbc" && c.padding == "2") {
      mode += "/CBC/OneAndZeros";
    } else if (c.name == "gost28147-cfb") {
      mode += "/CFB";
    } else {
      return std::nullopt;
    }
    if (data.empty() && c.padding == "none") return Bytes();  // which CBC/NoPadding refuses
    const auto cipher = Botan::Cipher_Mode::create_or_throw(mode, c.encrypt ? Botan::ENCRYPTION : Botan::DECRYPTION);
    cipher->set_key(c.key);
    cipher->start(c.iv);
    Botan::secure_vector<uint8_t> buffer(data.begin(), data.end());
    cipher->finish(buffer);
    return Bytes(buffer.begin(), buffer.end());
  }
#endif

  std::optional<Bytes> hash(const std::string& name, const Bytes& data) override {
    const char* algorithm = name == "streebog256"        ? "Streebog-256"
                            : name == "streebog512"      ? "Streebog-512"
                            : name == "gost94-cryptopro" ? "GOST-34.11"
                                                         : nullptr;
    if (algorithm == nullptr) return std::nullopt;
    const auto function = Botan::HashFunction::create(algorithm);
    if (!function) return std::nullopt;
    const auto digest = function->process(data.data(), data.size());
    return Bytes(digest.begin(), digest.end());
  }

  std::optional<Bytes> mac(const std::string& name, const Bytes& key, const std::string&, const Bytes& data,
                           size_t tag_len) override {
    if (!name.starts_with("hmac-streebog")) return std::nullopt;
    const auto hmac = Botan::MessageAuthenticationCode::create_or_throw("HMAC(Streebog-" + name.substr(13) + ")");
    hmac->set_key(key);
    const auto tag = hmac->process(data);
    return Bytes(tag.begin(), tag.begin() + static_cast<std::ptrdiff_t>(tag_len));
  }

  std::optional<Bytes> pbkdf2(const Bytes& password, const Bytes& salt, uint32_t iterations, size_t len) override {
    const auto family = Botan::PasswordHashFamily::create("PBKDF2(HMAC(Streebog-512))");
    if (!family) return std::nullopt;
    Bytes out(len);
    family->from_params(iterations)
        ->derive_key(out.data(), len, reinterpret_cast<const char*>(password.data()), password.size(), salt.data(),
                     salt.size());
    return out;
  }
};

}  // namespace

std::unique_ptr<Oracle> make_botan(std::string* why) {
  bool complete = Botan::HashFunction::create("Streebog-256") != nullptr;
#if BOTAN_VERSION_MAJOR < 3
  complete = complete && Botan::BlockCipher::create(kSboxes.begin()->second) != nullptr;
#endif
  if (!complete) {
    *why = "built without GOST 28147-89 or Streebog";
    return nullptr;
  }
  return std::make_unique<BotanOracle>();
}

}  // namespace vsh::oracle
