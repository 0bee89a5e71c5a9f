// Key files of variable length, read whole into memory that is erased.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::cli {

struct SecretFile {
  std::string name;  // for messages
  ReadFile source;
  SecretBuffer content;
};

// "-" is standard input. Throws Failure, also if there are more than max_len bytes.
SecretFile read_secret_file(const std::string& name, size_t max_len);

// Decodes hexadecimal digits of either case with at most one newline after them; nullopt for any other content.
std::optional<SecretBuffer> decode_secret_hex(const SecretFile& file);

// Encodes as lower-case digits and a newline.
SecretBuffer encode_secret_hex(std::span<const uint8_t> bytes);

}  // namespace vsh::cli
