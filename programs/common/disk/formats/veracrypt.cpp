#include "programs/common/disk/formats/veracrypt.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <vershina/vershina.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "programs/common/disk/formats/secret_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// VeraCrypt, "Volume Format Specification": offsets in the header. Numbers are big-endian.
constexpr size_t kMagicAt = 64, kVersionAt = 68, kKeysCrcAt = 72, kOffsetAt = 108, kSizeAt = 116, kFlagsAt = 124,
                 kHeaderCrcAt = 252, kKeysAt = 256;

struct Hash {
  const char* name;
  const char* digest;  // OpenSSL's name; null: Streebog, the library's own
};
// In the order in which they are tried.
constexpr Hash kHashes[] = {{"sha512", "SHA512"},
                            {"sha256", "SHA256"},
                            {"blake2s", "BLAKE2S-256"},
                            {"whirlpool", "WHIRLPOOL"},
                            {"streebog", nullptr}};

// OpenSSL with its default and, if it is there, its legacy provider, which has Whirlpool, whatever openssl.cnf says.
class OpenSsl {
 public:
  OpenSsl()
      : context_(OSSL_LIB_CTX_new()),
        default_(OSSL_PROVIDER_load(context_, "default")),
        legacy_(OSSL_PROVIDER_load(context_, "legacy")) {}
  ~OpenSsl() {
    if (legacy_) OSSL_PROVIDER_unload(legacy_);
    if (default_) OSSL_PROVIDER_unload(default_);
    OSSL_LIB_CTX_free(context_);
    ERR_clear_error();
  }
  OpenSsl(const OpenSsl&) = delete;
  OpenSsl& operator=(const OpenSsl&) = delete;

  bool has(const char* digest) const {
    EVP_MD* const found = EVP_MD_fetch(context_, digest, nullptr);
    EVP_MD_free(found);
    return found != nullptr;
  }
  bool pbkdf2(VolumeKey& key, const char* digest, std::span<const uint8_t> passphrase, std::span<const uint8_t> salt,
              uint32_t iterations) const {
    EVP_KDF* const kdf = EVP_KDF_fetch(context_, "PBKDF2", nullptr);
    EVP_KDF_CTX* const derivation = kdf ? EVP_KDF_CTX_new(kdf) : nullptr;
    int without_bounds = 1;
    uint64_t count = iterations;
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string("pass", const_cast<uint8_t*>(passphrase.data()), passphrase.size()),
        OSSL_PARAM_construct_octet_string("salt", const_cast<uint8_t*>(salt.data()), salt.size()),
        OSSL_PARAM_construct_uint64("iter", &count),
        OSSL_PARAM_construct_int("pkcs5", &without_bounds),
        OSSL_PARAM_construct_utf8_string("digest", const_cast<char*>(digest), 0),
        OSSL_PARAM_construct_end()};
    const bool is_derived = derivation && EVP_KDF_derive(derivation, key.bytes, sizeof key.bytes, parameters) == 1;
    EVP_KDF_CTX_free(derivation);
    EVP_KDF_free(kdf);
    return is_derived;
  }

 private:
  OSSL_LIB_CTX* const context_;
  OSSL_PROVIDER *const default_, *const legacy_;
};

const Hash& hash_of(const std::string& name) {
  for (const Hash& hash : kHashes)
    if (name == hash.name) return hash;
  throw Failure(ExitCode::usage, tr("unknown hash {1}", cli::quote_name(name)));
}

uint64_t read_big_endian(const uint8_t* in, size_t len) {
  uint64_t number = 0;
  for (size_t i = 0; i < len; ++i) number = number << 8 | in[i];
  return number;
}

// CRC-32 of IEEE 802.3, a byte further. Without a table, whose addresses would depend on the keys.
uint32_t next_crc32(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320 & (0u - (crc & 1)));
  return crc;
}

uint32_t crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const uint8_t byte : bytes) crc = next_crc32(crc, byte);
  return ~crc;
}

struct FreeXts {
  void operator()(vsh_xts* context) const { vsh_xts_free(context); }
};

// The number of iterations: VeraCrypt, "PIM", for containers.
uint32_t iterations_for(uint32_t pim) { return pim ? 15000 + 1000 * pim : 500000; }

}  // namespace

const std::vector<std::string>& veracrypt_hashes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Hash& hash : kHashes) all.push_back(hash.name);
    return all;
  }();
  return names;
}

bool has_veracrypt_hash(const std::string& hash) {
  const Hash& known = hash_of(hash);
  return known.digest == nullptr || OpenSsl().has(known.digest);
}

// VeraCrypt, "Keyfiles": a pool of 64 bytes, or of 128 for longer passphrases, to whose bytes those of the running CRC
// are added, four for each byte of a key file; the pool is then added to the passphrase, padded with zeros.
cli::SecretBuffer mix_veracrypt_key_files(std::span<const uint8_t> passphrase,
                                          const std::vector<std::string>& key_files) {
  constexpr size_t kMost = size_t{1} << 20;
  cli::SecretBuffer mixed(passphrase.size() > 64 ? 128 : 64);
  cli::SecretBuffer pool(mixed.size());
  for (const std::string& path : key_files) {
    const cli::SecretBuffer content = read_secret_beginning(path, kMost);
    uint32_t crc = ~uint32_t{0};
    size_t at = 0;
    for (const uint8_t byte : content.bytes()) {
      crc = next_crc32(crc, byte);
      for (const int shift : {24, 16, 8, 0}) {
        pool.data()[at] = static_cast<uint8_t>(pool.data()[at] + (crc >> shift));
        at = (at + 1) % pool.size();
      }
    }
  }
  std::copy(passphrase.begin(), passphrase.end(), mixed.data());
  for (size_t i = 0; i < mixed.size(); ++i) mixed.data()[i] = static_cast<uint8_t>(mixed.data()[i] + pool.data()[i]);
  return mixed;
}

void derive_veracrypt_key(VolumeKey& key, const std::string& hash, uint32_t pim, std::span<const uint8_t> passphrase,
                          std::span<const uint8_t, kVeraCryptSaltLen> salt) {
  if (pim > kMaxVeraCryptPim) throw Failure(ExitCode::parameters, tr("a PIM is at most 10000"));
  const uint32_t iterations = iterations_for(pim);
  const Hash& known = hash_of(hash);
  if (!known.digest) {
    if (vsh_pbkdf2(key.bytes, sizeof key.bytes, passphrase.data(), passphrase.size(), salt.data(), salt.size(),
                   iterations, nullptr) == VSH_OK)
      return;
  } else {
    const OpenSsl openssl;
    if (!openssl.has(known.digest)) {
      throw Failure(ExitCode::usage, tr("OpenSSL has no {1} here", hash),
                    tr("Whirlpool needs OpenSSL's legacy provider, the module legacy.so"));
    }
    if (openssl.pbkdf2(key, known.digest, passphrase, salt, iterations)) return;
  }
  throw Failure(ExitCode::internal, tr("PBKDF2 with {1} has failed", hash));
}

std::optional<Layout> read_veracrypt_header(VolumeKey& key, const VolumeKey& header_key,
                                            std::span<const uint8_t, kVeraCryptHeaderLen> header, uint64_t store_size,
                                            const std::string& whose) {
  vsh_xts* raw = nullptr;
  if (vsh_xts_new(&raw, header_key.bytes, sizeof header_key.bytes, nullptr) != VSH_OK) return std::nullopt;
  const std::unique_ptr<vsh_xts, FreeXts> xts(raw);
  cli::SecretBytes<kVeraCryptHeaderLen> plain;
  std::memcpy(plain.bytes, header.data(), kVeraCryptSaltLen);
  // The rest behind the salt is one data unit with the number 0.
  const uint8_t number[16] = {};
  if (vsh_xts_decrypt_unit(xts.get(), plain.bytes + kVeraCryptSaltLen, header.data() + kVeraCryptSaltLen,
                           kVeraCryptHeaderLen - kVeraCryptSaltLen, number) != VSH_OK)
    throw Failure(ExitCode::internal, tr("{1}: the header cannot be decrypted", whose));

  const std::span<const uint8_t> bytes(plain.bytes);
  const auto at = [&](size_t offset, size_t len) { return read_big_endian(plain.bytes + offset, len); };
  if (std::memcmp(plain.bytes + kMagicAt, "VERA", 4) != 0 ||
      at(kHeaderCrcAt, 4) != crc32(bytes.subspan(kMagicAt, kHeaderCrcAt - kMagicAt)) ||
      at(kKeysCrcAt, 4) != crc32(bytes.subspan(kKeysAt)))
    return std::nullopt;

  const auto refuse = [&](ExitCode code, const std::string& what) { throw Failure(code, whose + ": " + what); };
  if (at(kVersionAt, 2) != 5) refuse(ExitCode::version, tr("the header has version {1}, not 5", at(kVersionAt, 2)));
  if (at(kFlagsAt, 4) != 0)
    refuse(ExitCode::parameters, tr("system and in-place encryption of VeraCrypt are not served"));
  // Units have 512 bytes, whatever the header says of the device's sectors, and are numbered from the container's
  // first.
  const Layout layout = {.offset = at(kOffsetAt, 8),
                         .size = at(kSizeAt, 8),
                         .sector_len = VSH_SECTOR_UNIT,
                         .first_number = at(kOffsetAt, 8) / VSH_SECTOR_UNIT};
  if (layout.offset < kVeraCryptHeadersLen)
    refuse(ExitCode::parameters, tr("the volume would begin inside of the header"));
  if (store_size < kVeraCryptHeadersLen)
    refuse(ExitCode::parameters, tr("the store is too small for VeraCrypt's headers"));
  check_layout(layout, store_size - kVeraCryptHeadersLen, tr("{1}, before the backup header", whose));
  std::memcpy(key.bytes, plain.bytes + kKeysAt, sizeof key.bytes);
  return layout;
}

Layout open_veracrypt(VolumeKey& key, Store& store, const VeraCryptChoices& choices,
                      std::span<const uint8_t> passphrase) {
  if (store.size() < 2 * kVeraCryptHeadersLen)
    throw Failure(ExitCode::header, tr("{1}: too short for a VeraCrypt volume", store.name()));
  if (passphrase.size() > kMaxVeraCryptPassphrase)
    throw Failure(ExitCode::usage, tr("a passphrase of VeraCrypt has at most 128 bytes"));
  uint8_t header[kVeraCryptHeaderLen];
  store.read(header, sizeof header, choices.backup_header ? store.size() - kVeraCryptHeadersLen : 0);
  for (const std::string& hash : veracrypt_hashes()) {
    if (choices.hash.empty() ? !has_veracrypt_hash(hash) : choices.hash != hash) continue;
    VolumeKey header_key;
    derive_veracrypt_key(header_key, hash, choices.pim, passphrase,
                         std::span<const uint8_t, kVeraCryptSaltLen>(header, kVeraCryptSaltLen));
    if (const auto layout = read_veracrypt_header(key, header_key, header, store.size(), store.name())) return *layout;
  }
  throw Failure(ExitCode::wrong_key,
                tr("{1}: this passphrase opens no VeraCrypt volume with the cipher Kuznyechik", store.name()),
                choices.backup_header
                    ? tr("cascades of ciphers and volumes with Argon2id are not opened")
                    : tr("if the header is damaged, backup-header=true may open it; cascades of ciphers and volumes "
                         "with Argon2id are not opened"));
}

}  // namespace vsh::disk
