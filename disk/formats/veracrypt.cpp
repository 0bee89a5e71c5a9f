#include "disk/formats/veracrypt.hpp"

#include <openssl/evp.h>
#include <vershina/vershina.h>

#include <cstring>
#include <memory>

#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;

// VeraCrypt, "Volume Format Specification": offsets in the header. Numbers are big-endian.
constexpr size_t kMagicAt = 64, kVersionAt = 68, kKeysCrcAt = 72, kOffsetAt = 108, kSizeAt = 116, kFlagsAt = 124,
                 kHeaderCrcAt = 252, kKeysAt = 256;

struct Hash {
  const char* name;
  const EVP_MD* (*digest)();  // null: Streebog, the library's own
};
constexpr Hash kHashes[] = {
    {"sha512", EVP_sha512}, {"sha256", EVP_sha256}, {"blake2s", EVP_blake2s256}, {"streebog", nullptr}};

uint64_t read_big_endian(const uint8_t* in, size_t len) {
  uint64_t number = 0;
  for (size_t i = 0; i < len; ++i) number = number << 8 | in[i];
  return number;
}

// CRC-32 of IEEE 802.3. Without a table, whose addresses would depend on the keys.
uint32_t crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320 & (0u - (crc & 1)));
  }
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

void derive_veracrypt_key(VolumeKey& key, const std::string& hash, uint32_t pim, std::span<const uint8_t> passphrase,
                          std::span<const uint8_t, kVeraCryptSaltLen> salt) {
  if (pim > kMaxVeraCryptPim) throw Failure(ExitCode::parameters, "a PIM is at most 10000");
  const uint32_t iterations = iterations_for(pim);
  for (const Hash& known : kHashes) {
    if (hash != known.name) continue;
    const bool is_derived =
        known.digest
            ? PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(passphrase.data()), static_cast<int>(passphrase.size()),
                                salt.data(), static_cast<int>(salt.size()), static_cast<int>(iterations),
                                known.digest(), static_cast<int>(sizeof key.bytes), key.bytes) == 1
            : vsh_pbkdf2(key.bytes, sizeof key.bytes, passphrase.data(), passphrase.size(), salt.data(), salt.size(),
                         iterations, nullptr) == VSH_OK;
    if (!is_derived) throw Failure(ExitCode::internal, "PBKDF2 with " + hash + " has failed");
    return;
  }
  throw Failure(ExitCode::usage, "unknown hash " + cli::quote_name(hash));
}

std::optional<Layout> read_veracrypt_header(VolumeKey& key, const VolumeKey& header_key,
                                            std::span<const uint8_t, kVeraCryptHeaderLen> header, uint64_t store_size,
                                            const std::string& whose) {
  vsh_xts* raw = nullptr;
  if (vsh_xts_new(&raw, header_key.bytes, sizeof header_key.bytes, nullptr) != VSH_OK) return std::nullopt;
  const std::unique_ptr<vsh_xts, FreeXts> xts(raw);
  cli::SecretBytes<kVeraCryptHeaderLen> plain;
  std::memcpy(plain.bytes, header.data(), kVeraCryptSaltLen);
  // What follows the salt is one data unit with the number 0.
  const uint8_t number[16] = {};
  if (vsh_xts_decrypt_unit(xts.get(), plain.bytes + kVeraCryptSaltLen, header.data() + kVeraCryptSaltLen,
                           kVeraCryptHeaderLen - kVeraCryptSaltLen, number) != VSH_OK)
    throw Failure(ExitCode::internal, whose + ": the header cannot be decrypted");

  const std::span<const uint8_t> bytes(plain.bytes);
  const auto at = [&](size_t offset, size_t len) { return read_big_endian(plain.bytes + offset, len); };
  if (std::memcmp(plain.bytes + kMagicAt, "VERA", 4) != 0 ||
      at(kHeaderCrcAt, 4) != crc32(bytes.subspan(kMagicAt, kHeaderCrcAt - kMagicAt)) ||
      at(kKeysCrcAt, 4) != crc32(bytes.subspan(kKeysAt)))
    return std::nullopt;

  const auto refuse = [&](ExitCode code, const std::string& what) { throw Failure(code, whose + ": " + what); };
  if (at(kVersionAt, 2) != 5)
    refuse(ExitCode::version, "the header has version " + std::to_string(at(kVersionAt, 2)) + ", not 5");
  if (at(kFlagsAt, 4) != 0) refuse(ExitCode::parameters, "system and in-place encryption of VeraCrypt are not served");
  // Units have 512 bytes, whatever the header says of the device's sectors, and are numbered from the container's
  // first.
  const Layout layout = {.offset = at(kOffsetAt, 8),
                         .size = at(kSizeAt, 8),
                         .sector_len = VSH_SECTOR_UNIT,
                         .first_number = at(kOffsetAt, 8) / VSH_SECTOR_UNIT};
  if (layout.offset < kVeraCryptHeadersLen) refuse(ExitCode::parameters, "the volume would begin inside of the header");
  if (store_size < kVeraCryptHeadersLen) refuse(ExitCode::parameters, "the store is too small for VeraCrypt's headers");
  check_layout(layout, store_size - kVeraCryptHeadersLen, whose + ", before the backup header");
  std::memcpy(key.bytes, plain.bytes + kKeysAt, sizeof key.bytes);
  return layout;
}

Layout open_veracrypt(VolumeKey& key, Store& store, const VeraCryptChoices& choices,
                      std::span<const uint8_t> passphrase) {
  if (store.size() < 2 * kVeraCryptHeadersLen)
    throw Failure(ExitCode::header, store.name() + ": too short for a VeraCrypt volume");
  if (passphrase.size() > kMaxVeraCryptPassphrase)
    throw Failure(ExitCode::usage, "a passphrase of VeraCrypt has at most 128 bytes");
  uint8_t header[kVeraCryptHeaderLen];
  store.read(header, sizeof header, choices.backup_header ? store.size() - kVeraCryptHeadersLen : 0);
  for (const std::string& hash : veracrypt_hashes()) {
    if (!choices.hash.empty() && choices.hash != hash) continue;
    VolumeKey header_key;
    derive_veracrypt_key(header_key, hash, choices.pim, passphrase,
                         std::span<const uint8_t, kVeraCryptSaltLen>(header, kVeraCryptSaltLen));
    if (const auto layout = read_veracrypt_header(key, header_key, header, store.size(), store.name())) return *layout;
  }
  throw Failure(ExitCode::wrong_key,
                store.name() + ": this passphrase opens no VeraCrypt volume with the cipher Kuznyechik",
                choices.backup_header ? "" : "if the header is damaged, backup-header=true may open it");
}

}  // namespace vsh::disk
