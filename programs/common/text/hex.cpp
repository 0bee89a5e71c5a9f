#include "programs/common/text/hex.hpp"

#include "programs/common/text/translate.hpp"

#include <algorithm>

namespace vsh::cli {
namespace {

// Returns all ones if low <= c <= high, else 0, without a branch. c < 256.
uint32_t in_range(uint32_t c, uint32_t low, uint32_t high) { return ((low - 1 - c) & (c - high - 1)) >> 8; }

// Returns 0..15, or a number with a bit above the fourth set if c is not a digit.
uint32_t digit_value(char digit) {
  const uint32_t c = static_cast<unsigned char>(digit);
  const uint32_t lower = c | 0x20;
  const uint32_t decimal = in_range(c, '0', '9');
  const uint32_t letter = in_range(lower, 'a', 'f');
  return (decimal & (c - '0')) | (letter & (lower - 'a' + 10)) | (~(decimal | letter) & 0x100);
}

}  // namespace

bool decode_hex(std::string_view text, std::span<uint8_t> out) {
  std::fill(out.begin(), out.end(), uint8_t{0});
  if (text.size() != 2 * out.size()) return false;
  uint32_t bad = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const uint32_t byte = digit_value(text[2 * i]) << 4 | digit_value(text[2 * i + 1]);
    bad |= byte >> 8;
    out[i] = static_cast<uint8_t>(byte);
  }
  if (bad == 0) return true;
  std::fill(out.begin(), out.end(), uint8_t{0});
  return false;
}

std::string encode_hex(std::span<const uint8_t> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string hex_problem(std::string_view text) {
  static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.empty()) return tr("is empty");
  if (text.starts_with(byte_order_mark)) return tr("begins with a byte order mark");
  if (text.ends_with("\r\n") || text.ends_with('\r')) {
    const size_t len = text.find_last_not_of("\r\n") + 1;
    if (len > 0 && hex_problem(text.substr(0, len)).empty()) return tr("ends with a carriage return");
  }
  const auto stranger = std::find_if_not(text.begin(), text.end(), is_hex_digit);
  if (stranger == text.end()) return text.size() % 2 == 0 ? "" : tr("has an odd number of digits");
  const auto place = static_cast<size_t>(stranger - text.begin());
  const auto kind = [&]() -> std::string {
    switch (*stranger) {
      case ' ': return tr("a blank");
      case '\t': return tr("a tab");
      case ':': return tr("a colon");
      case '-': return tr("a hyphen");
      case '\r': return tr("a carriage return");
      case '\n': return tr("a newline");
      default: return tr("a character that is not a hexadecimal digit");
    }
  };
  if (text.starts_with("0x") || text.starts_with("0X")) return tr("begins with 0x");
  return tr("has {1} at position {2}", kind(), place + 1);
}

std::string hex_advice(std::string_view text) {
  const bool only_digits = std::all_of(text.begin(), text.end(), is_hex_digit);
  return only_digits ? tr(kTwoDigitsMakeAByte) : tr("use only 0-9 and a-f, and nothing between them");
}

}  // namespace vsh::cli
