// Other implementations behind one small interface, for differential_test.cpp. One adapter file each, built where its
// library is installed:
//
//   oracle_openssl.cpp  VSH_ORACLE_OPENSSL  libcrypto 3 with the GOST engine
//   oracle_gcrypt.cpp   VSH_ORACLE_GCRYPT   libgcrypt >= 1.10
//   oracle_botan.cpp    VSH_ORACLE_BOTAN    Botan 2; of Botan 3 Streebog only
//   oracle_nettle.cpp   VSH_ORACLE_NETTLE   Nettle >= 3.7
//   oracle_rustcrypto.cpp  always           RustCrypto's mgm, where `make peers` has built its library
//   composed.cpp        always              modes composed around the raw block cipher of one of the others
//
// Names of ciphers, hashes, MACs and S-box sets are those of vsh_cipher_name() and so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vsh::oracle {

using Bytes = std::vector<uint8_t>;

struct Cipher {
  std::string name;  // "kuznyechik-ctr"
  bool encrypt = true;
  Bytes key, iv;
  std::string sbox;              // of GOST 28147-89, else empty
  std::string padding = "none";  // none, 1, 2, pkcs7; for ECB and CBC. With padding only `encrypt` is used.
  size_t segment = 0;            // s in bytes for CTR, OFB, CFB; 0 means the block
  size_t section = 0;            // of CTR-ACPKM, in bytes
  bool meshing = false;          // CryptoPro key meshing
};

struct Aead {
  std::string name;  // "magma-mgm"
  Bytes key, nonce, data;
  size_t tag_len = 0;
};

// Each function returns nullopt if the library does not support it, and throws std::runtime_error on a failure.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual std::string name() const = 0;  // with version
  virtual std::optional<Bytes> crypt(const Cipher&, const Bytes& /*data*/) { return std::nullopt; }
  virtual std::optional<Bytes> hash(const std::string& /*name*/, const Bytes& /*data*/) { return std::nullopt; }
  virtual std::optional<Bytes> mac(const std::string& /*name*/, const Bytes& /*key*/, const std::string& /*sbox*/,
                                   const Bytes& /*data*/, size_t /*tag_len*/) {
    return std::nullopt;
  }
  // HMAC-Streebog-512.
  virtual std::optional<Bytes> pbkdf2(const Bytes& /*password*/, const Bytes& /*salt*/, uint32_t /*iterations*/,
                                      size_t /*len*/) {
    return std::nullopt;
  }
  // section, master_section: in bytes.
  virtual std::optional<Bytes> omac_acpkm(const std::string& /*name*/, const Bytes& /*key*/, size_t /*section*/,
                                          size_t /*master_section*/, const Bytes& /*data*/) {
    return std::nullopt;
  }
  // CTR-ACPKM with OMAC as in CMS, text then tag, and its nonce; and whether such a message opens.
  struct Sealed {
    Bytes nonce, message;
  };
  virtual std::optional<Sealed> seal_cms(const std::string& /*name*/, const Bytes& /*key*/, const Bytes& /*iv*/,
                                         const Bytes& /*text*/) {
    return std::nullopt;
  }
  // Whether this algorithm always applies CryptoPro key meshing here.
  virtual bool meshes(const std::string& /*cipher_or_mac*/) const { return false; }
  // Ciphertext, then the tag.
  virtual std::optional<Bytes> seal(const Aead&, const Bytes& /*text*/) { return std::nullopt; }
  // The text, or nullopt if the oracle refuses the message; only if seal has an answer.
  virtual std::optional<Bytes> open(const Aead&, const Bytes& /*sealed*/) { return std::nullopt; }
  // Whether it has ECB of Kuznyechik or GOST 28147-89, around which modes can be composed.
  virtual bool has_blocks() const { return false; }
  // Longer messages are not comparable: the library changes the key after this many bytes (CryptoPro key meshing).
  virtual size_t max_len(const std::string& /*cipher_or_mac*/) const { return SIZE_MAX; }
};

struct Absent {
  std::string name, why;
};

// Lists the oracles of this build and machine; missing ones go to *absent.
std::vector<std::unique_ptr<Oracle>> all_oracles(std::vector<Absent>* absent);

// Each returns null and the reason if the library is present but unusable (no GOST engine, an algorithm left out).
std::unique_ptr<Oracle> make_openssl(std::string* why);
std::unique_ptr<Oracle> make_gcrypt(std::string* why);
std::unique_ptr<Oracle> make_botan(std::string* why);
std::unique_ptr<Oracle> make_nettle(std::string* why);
std::unique_ptr<Oracle> make_rustcrypto(std::string* why);

// Modes of GOST R 34.13-2015 and CNT, written here from the standards' text around the ECB of `blocks`, which must
// outlive it. They cover cases that no library supports: segments shorter than a block, registers of several blocks.
std::unique_ptr<Oracle> make_composed(Oracle& blocks);

}  // namespace vsh::oracle
