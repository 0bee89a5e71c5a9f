// Formats of a key file and --key-hex.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "programs/common/system/secret_buffer.hpp"

namespace vsh::cli {

constexpr size_t kKeyLen = 32;

// automatic: a content of the key's length is a raw key, twice as many digits with at most one newline a hexadecimal
// one.
enum class KeyFormat { automatic, raw, hex };

// The longest valid content: all digits and a newline.
constexpr size_t max_key_text(size_t key_len) { return 2 * key_len + 1; }

// Bytes beyond them to examine, for a better message.
constexpr size_t kKeyTextMargin = 8;

// Describes blanks, colons, ends of lines or a byte order mark among hexadecimal digits, with the position. Empty for
// any other text.
std::string digits_problem(std::string_view text);

// Reads the content of a key file into all of `key`. Returns the problem with the content, or an empty string. The
// message never quotes it.
std::string parse_key(std::span<const uint8_t> content, KeyFormat format, std::span<uint8_t> key);

// The longest content of a file with a key of any length: far beyond any use.
constexpr size_t kMaxLongKeyText = size_t{1} << 20;

// The same for a key of any length from 1 byte on (HMAC, key derivation). automatic: 32 bytes or 64 digits, as above;
// other lengths need an explicit format, because digits are bytes too.
std::string parse_long_key(std::span<const uint8_t> content, KeyFormat format, SecretBuffer& key);

}  // namespace vsh::cli
