// Headers of VeraCrypt volumes whose cipher is Kuznyechik. They are read, never written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/common/disk/store/store.hpp"
#include "programs/common/disk/volume/volume.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::disk {

inline constexpr size_t kVeraCryptHeaderLen = 512, kVeraCryptSaltLen = 64;
// At both ends of a volume two headers of 64 KiB, the second one for a hidden volume.
inline constexpr uint64_t kVeraCryptHeadersLen = uint64_t{128} << 10;
inline constexpr size_t kMaxVeraCryptPassphrase = 128;
inline constexpr uint32_t kMaxVeraCryptPim = 10'000;

struct VeraCryptChoices {
  std::string hash;  // one of veracrypt_hashes(); empty: tries all
  uint32_t pim = 0;  // 0: the default number of iterations
  bool backup_header = false;
};

// The names of the hashes whose key derivation is known: "sha512", "sha256", "blake2s", "whirlpool", "streebog".
const std::vector<std::string>& veracrypt_hashes();

// Returns whether this machine can derive with the hash: Whirlpool needs OpenSSL's legacy provider.
bool has_veracrypt_hash(const std::string& hash);

// Returns the passphrase mixed with the first MiB of each key file. The passphrase may be empty if there are key files.
cli::SecretBuffer mix_veracrypt_key_files(std::span<const uint8_t> passphrase,
                                          const std::vector<std::string>& key_files);

// Derives the header key. Throws cli::Failure for an unknown hash, and for one that this machine lacks.
void derive_veracrypt_key(VolumeKey& key, const std::string& hash, uint32_t pim, std::span<const uint8_t> passphrase,
                          std::span<const uint8_t, kVeraCryptSaltLen> salt);

// Returns nothing if this key does not decrypt the header; otherwise sets the volume key and returns the layout.
// Throws cli::Failure for volumes that are not served: system and in-place encryption, other versions, a volume over
// the headers or outside of the store.
std::optional<Layout> read_veracrypt_header(VolumeKey& key, const VolumeKey& header_key,
                                            std::span<const uint8_t, kVeraCryptHeaderLen> header, uint64_t store_size,
                                            const std::string& whose);

// Opens the volume in the store. Throws cli::Failure, IoError.
Layout open_veracrypt(VolumeKey& key, Store& store, const VeraCryptChoices& choices,
                      std::span<const uint8_t> passphrase);

}  // namespace vsh::disk
