#include "programs/common/options/key_text.hpp"

#include <algorithm>
#include <string_view>

#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

std::string problem_of_key(std::string_view digits) {
  return tr("the key {1}", hex_problem(digits)) + (digits.empty() ? "" : ": " + hex_advice(digits));
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
  const std::string size = content.size() > longest ? tr("more than {1}", bytes_of(longest)) : bytes_of(content.size());
  std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  std::string_view digits = text;
  if (digits.ends_with('\n') && !digits.ends_with("\r\n")) digits.remove_suffix(1);
  const auto no_key = [&](const std::string& what_is_one) { return tr("{1}, so no key: {2}", size, what_is_one); };
  const std::string about_digits = digits_problem(digits);
  const std::string wrong_digits =
      tr("the key {1}: write {2}, and behind them at most one newline", about_digits, digits_of(num_digits));
  if (format == KeyFormat::automatic) {
    if (content.size() == len) {
      // A key of half the length, in digits, must not be taken for a raw one of this length.
      SecretBytes<kKeyLen> shorter;
      if (len == 2 * kKeyLen && decode_hex(text, shorter.bytes)) {
        return tr("a key of {1} is {2}, not {3} (--key-format raw if these are its bytes)", bytes_of(len),
                  digits_of(num_digits), len);
      }
      format = KeyFormat::raw;
    } else if (content.size() == num_digits || content.size() == longest) {
      format = KeyFormat::hex;
    } else if (!about_digits.empty()) {
      return wrong_digits;
    } else {
      return no_key(tr("a key is {1} raw bytes or {2} with at most one newline", len, digits_of(num_digits)));
    }
  }
  if (format == KeyFormat::raw) {
    if (content.size() != len) return no_key(tr("a raw key is {1}", bytes_of(len)));
    std::copy(content.begin(), content.end(), key.begin());
    return {};
  }
  if (!about_digits.empty()) return wrong_digits;
  if (digits.size() != num_digits && std::all_of(digits.begin(), digits.end(), is_hex_digit))
    return tr("a key is {1}, not {2}", digits_of(num_digits), digits.size());
  if (digits.size() != num_digits)
    return no_key(tr("a hexadecimal key is {1} digits with at most one newline", num_digits));
  return decode_hex(digits, key) ? "" : problem_of_key(digits);
}

std::string parse_long_key(std::span<const uint8_t> content, KeyFormat format, SecretBuffer& key) {
  if (content.size() > kMaxLongKeyText) return tr("a key has at most 1 MiB");
  if (format == KeyFormat::automatic) {
    if (content.size() == kKeyLen) {
      format = KeyFormat::raw;
    } else if (content.size() == 64 || content.size() == 65) {
      format = KeyFormat::hex;
    } else {
      return tr("it is neither 32 raw bytes nor 64 hexadecimal digits, but {1}: say --key-format raw or hex",
                bytes_of(content.size()));
    }
  }
  if (format == KeyFormat::raw) {
    if (content.empty()) return tr("the key is empty");
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
