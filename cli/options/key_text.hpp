// What a key file or --key-hex may hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/system/secret_buffer.hpp"

namespace vsh::cli {

constexpr size_t kKeyLen = 32;

// automatic: as many bytes as the key has are a raw key, twice as many digits with at most one newline a hexadecimal
// one.
enum class KeyFormat { automatic, raw, hex };

// The longest content that can be right: all digits and a newline.
constexpr size_t max_key_text(size_t key_len) { return 2 * key_len + 1; }

// Bytes beyond them that are looked at, so that a message can say what they are.
constexpr size_t kKeyTextMargin = 8;

// Hexadecimal digits with blanks, colons, ends of lines or a byte order mark about them: what there is, and where.
// Empty for any other text.
std::string digits_problem(std::string_view text);

// Reads the content of a key file into `key`, all of it. Returns what is wrong with the content, or an empty string.
// The message never quotes it.
std::string parse_key(std::span<const uint8_t> content, KeyFormat format, std::span<uint8_t> key);

// The longest content of a file with a key of any length: far beyond what is of use.
constexpr size_t kMaxLongKeyText = size_t{1} << 20;

// The same for a key of any length from 1 byte on (HMAC, key derivation). automatic: 32 bytes or 64 digits, as above;
// for other lengths the format must be said, because digits are bytes too.
std::string parse_long_key(std::span<const uint8_t> content, KeyFormat format, SecretBuffer& key);

}  // namespace vsh::cli
