// Key files whose length is not always the same, read whole into memory that is erased.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/files/output_file.hpp"
#include "cli/system/secret_buffer.hpp"

namespace vsh::cli {

struct SecretFile {
  std::string name;  // as messages show it
  ReadFile source;
  SecretBuffer content;
};

// "-" is standard input. Throws Failure, also where there are more than max_len bytes.
SecretFile read_secret_file(const std::string& name, size_t max_len);

// Hexadecimal digits of either case with at most one newline behind them; nothing where the file holds something else.
std::optional<SecretBuffer> decode_secret_hex(const SecretFile& file);

// Lower-case digits and a newline.
SecretBuffer encode_secret_hex(std::span<const uint8_t> bytes);

}  // namespace vsh::cli
