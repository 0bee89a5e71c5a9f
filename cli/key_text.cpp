#include "key_text.hpp"

#include <algorithm>
#include <string_view>

#include "hex.hpp"
#include "text.hpp"

namespace vsh::cli {

std::string parse_key(std::span<const uint8_t> content, KeyFormat format, std::span<uint8_t, kKeyLen> key) {
  const std::string size = content.size() > kMaxKeyText ? "more than 65 bytes" : bytes_of(content.size());
  if (format == KeyFormat::automatic) {
    if (content.size() == kKeyLen) {
      format = KeyFormat::raw;
    } else if (content.size() == 64 || content.size() == 65) {
      format = KeyFormat::hex;
    } else {
      return "a key is 32 raw bytes or 64 hexadecimal digits with at most one newline, not " + size;
    }
  }
  if (format == KeyFormat::raw) {
    if (content.size() != kKeyLen) return "a raw key is 32 bytes, not " + size;
    std::copy(content.begin(), content.end(), key.begin());
    return {};
  }
  std::string_view digits(reinterpret_cast<const char*>(content.data()), content.size());
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  if (digits.size() != 2 * kKeyLen) {
    return "a hexadecimal key is 64 digits with at most one newline, not " + size;
  }
  if (!decode_hex(digits, key)) return "the key has a character that is no hexadecimal digit: use only 0-9 and a-f";
  return {};
}

std::string parse_long_key(std::span<const uint8_t> content, KeyFormat format, SecretBuffer& key) {
  if (content.size() > kMaxLongKeyText) return "a key has at most 1 MiB";
  if (format == KeyFormat::automatic) {
    if (content.size() == kKeyLen) {
      format = KeyFormat::raw;
    } else if (content.size() == 64 || content.size() == 65) {
      format = KeyFormat::hex;
    } else {
      return "it is neither 32 raw bytes nor 64 hexadecimal digits, but " + bytes_of(content.size()) +
             ": say --key-format raw or hex";
    }
  }
  if (format == KeyFormat::raw) {
    if (content.empty()) return "the key is empty";
    key = SecretBuffer(content.size());
    std::copy(content.begin(), content.end(), key.data());
    return {};
  }
  std::string_view digits(reinterpret_cast<const char*>(content.data()), content.size());
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  if (digits.empty()) return "the key is empty";
  if (digits.size() % 2 != 0) return "the key has an odd number of hexadecimal digits";
  key = SecretBuffer(digits.size() / 2);
  if (!decode_hex(digits, key.bytes()))
    return "the key has a character that is no hexadecimal digit: use only 0-9 and a-f";
  return {};
}

}  // namespace vsh::cli
