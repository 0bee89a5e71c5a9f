// What a key file or --key-hex may hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vsh::cli {

constexpr size_t kKeyLen = 32;

// automatic: as many bytes as the key has are a raw key, twice as many digits with at most one newline a hexadecimal one.
enum class KeyFormat { automatic, raw, hex };

// The longest content that can be right: all digits and a newline.
constexpr size_t max_key_text(size_t key_len) { return 2 * key_len + 1; }

// Reads the content of a key file into `key`, all of it. Returns what is wrong with the content, or an empty string.
// The message never quotes it.
std::string parse_key(std::span<const uint8_t> content, KeyFormat format, std::span<uint8_t> key);

}  // namespace vsh::cli
