// Passphrases and keys from files and descriptors, read straight into memory that is erased.
#pragma once

#include <cstddef>
#include <string>

#include "programs/common/options/secret_file_mode.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::disk {

// Bytes. The limits of cryptsetup, which opens the same volumes: DEFAULT_PASSPHRASE_SIZE_MAX,
// DEFAULT_KEYFILE_SIZE_MAXKB.
constexpr size_t kMaxPassphrase = 512, kMaxKeyFile = size_t{8} << 20;

// Reads a file or a descriptor to its end. name: for messages. most: bytes; more is refused. A note names a file that
// others may read. Throws cli::Failure.
cli::SecretBuffer read_secret_file(const std::string& path, size_t most, cli::SecretKind kind = cli::SecretKind::key);
// Reads at most `most` bytes and ignores the rest.
cli::SecretBuffer read_secret_beginning(const std::string& path, size_t most);
cli::SecretBuffer read_secret_descriptor(int fd, const std::string& name, size_t most);

}  // namespace vsh::disk
