#include "cli/options/key_text.hpp"

#include <algorithm>
#include <string_view>

#include "cli/system/secret_buffer.hpp"
#include "cli/text/hex.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

std::string problem_of_key(std::string_view digits) {
  return "the key " + hex_problem(digits) + (digits.empty() ? "" : ": " + hex_advice(digits));
}

}  // namespace

std::string digits_problem(std::string_view text) {
  const std::string problem = hex_problem(text);
  const bool is_marked = text.starts_with("\xef\xbb\xbf");
  if (is_marked) text.remove_prefix(3);
  const auto is_digit_or_space = [](char c) {
    return is_hex_digit(c) || std::string_view(" \t\r\n:-").find(c) != std::string_view::npos;
  };
  const bool are_digits =
      std::any_of(text.begin(), text.end(), is_hex_digit) && std::all_of(text.begin(), text.end(), is_digit_or_space);
  const bool are_alone = !is_marked && std::all_of(text.begin(), text.end(), is_hex_digit);
  return are_digits && !are_alone ? problem : "";
}

std::string parse_key(std::span<const uint8_t> content, KeyFormat format, std::span<uint8_t> key) {
  const size_t len = key.size(), num_digits = 2 * len, longest = max_key_text(len);
  const std::string size = content.size() > longest ? "more than " + bytes_of(longest) : bytes_of(content.size());
  const std::string digits_text = std::to_string(num_digits) + " hexadecimal digits";
  std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  std::string_view digits = text;
  if (digits.ends_with('\n') && !digits.ends_with("\r\n")) digits.remove_suffix(1);
  const std::string about_digits = digits_problem(digits);
  const std::string wrong_digits =
      "the key " + about_digits + ": write " + digits_text + ", and behind them at most one newline";
  if (format == KeyFormat::automatic) {
    if (content.size() == len) {
      // A key of half the length, in digits, must not be taken for a raw one of this length.
      SecretBytes<kKeyLen> shorter;
      if (len == 2 * kKeyLen && decode_hex(text, shorter.bytes)) {
        return "a key of " + bytes_of(len) + " is " + digits_text + ", not " + std::to_string(len) +
               " (--key-format raw if these are its bytes)";
      }
      format = KeyFormat::raw;
    } else if (content.size() == num_digits || content.size() == longest) {
      format = KeyFormat::hex;
    } else if (!about_digits.empty()) {
      return wrong_digits;
    } else {
      return "a key is " + std::to_string(len) + " raw bytes or " + digits_text + " with at most one newline, not " +
             size;
    }
  }
  if (format == KeyFormat::raw) {
    if (content.size() != len) return "a raw key is " + bytes_of(len) + ", not " + size;
    std::copy(content.begin(), content.end(), key.begin());
    return {};
  }
  if (!about_digits.empty()) return wrong_digits;
  if (digits.size() != num_digits && std::all_of(digits.begin(), digits.end(), is_hex_digit))
    return "a key is " + digits_text + ", not " + std::to_string(digits.size());
  if (digits.size() != num_digits)
    return "a hexadecimal key is " + std::to_string(num_digits) + " digits with at most one newline, not " + size;
  return decode_hex(digits, key) ? "" : problem_of_key(digits);
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
  key = SecretBuffer(digits.size() / 2);
  return !digits.empty() && decode_hex(digits, key.bytes()) ? "" : problem_of_key(digits);
}

}  // namespace vsh::cli
