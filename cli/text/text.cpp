#include "cli/text/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace vsh::cli {
namespace {

enum class Utf8 { valid, invalid, cut };

// Classifies the character at text[i]; sets `len` to its bytes (1 for an invalid one).
Utf8 utf8_at(std::string_view text, size_t i, size_t& len) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  len = 1;
  if (lead < 0x80) return Utf8::valid;
  const size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return Utf8::invalid;
  for (size_t k = 1; k < need; ++k) {
    if (i + k == text.size()) return Utf8::cut;
    if ((byte(i + k) & 0xc0) != 0x80) return Utf8::invalid;
  }
  const unsigned char second = byte(i + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool beyond = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  const bool c1_control = lead == 0xc2 && second < 0xa0;
  if (overlong || beyond || c1_control) return Utf8::invalid;
  len = need;
  return Utf8::valid;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_plain(std::string_view name) {
  if (name.empty() || name[0] == '#' || name[0] == '~') return false;
  size_t len = 0;
  for (size_t i = 0; i < name.size(); i += len) {
    if (utf8_at(name, i, len) != Utf8::valid || is_control(name[i])) return false;
    if (std::strchr(" :'\"\\`$&*()[]|;<>?!^=", name[i]) != nullptr) return false;
  }
  return true;
}

// Counts letters changed, left out, added, or swapped with their neighbour.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::string escape_byte(char c) {
  switch (c) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  char octal[5];
  std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
  return octal;
}

}  // namespace

std::string quote_name(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string quoted = "'";
  size_t len = 0;
  for (size_t i = 0; i < name.size(); i += len) {
    if (utf8_at(name, i, len) != Utf8::valid || is_control(name[i])) {
      len = 1;
      quoted += "'$'" + escape_byte(name[i]);
      while (i + 1 < name.size() && is_control(name[i + 1])) quoted += escape_byte(name[++i]);
      quoted += "''";
    } else if (name[i] == '\'') {
      quoted += "'\\''";
    } else {
      quoted += name.substr(i, len);
    }
  }
  if (quoted.ends_with("''") && quoted.size() > 2) {
    quoted.pop_back();  // an escape at the end opened one quote too many
  } else {
    quoted += '\'';
  }
  return quoted;
}

bool is_printable_text(std::string_view bytes) {
  for (int i = 0; i < 3 && !bytes.empty() && (bytes[0] & 0xc0) == 0x80; ++i) bytes.remove_prefix(1);
  size_t len = 0;
  for (size_t i = 0; i < bytes.size(); i += len) {
    const Utf8 kind = utf8_at(bytes, i, len);
    if (kind == Utf8::cut) return true;
    if (kind == Utf8::invalid) return false;
    if (is_control(bytes[i]) && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r') return false;
  }
  return true;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string nearest(std::string_view text, const std::vector<std::string>& words) {
  static constexpr size_t longest = 64;  // of a text that may be a word
  if (text.size() > longest) return {};
  std::string best;
  size_t least = 1 + std::max<size_t>(1, text.size() / 3);
  for (const std::string& word : words) {
    const size_t far = distance(text, word);
    if (far > least) continue;
    best = far == least ? std::string() : word;
    least = far;
  }
  return best;
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string_view first_columns(std::string_view text, size_t columns) {
  size_t len = 0;
  for (; len < text.size(); ++len)
    if ((text[len] & 0xc0) != 0x80 && columns-- == 0) break;
  return text.substr(0, len);
}

std::string fold(std::string_view text, size_t width) {
  std::string folded;
  while (columns_of(text) > width) {
    const size_t space = text.rfind(' ', first_columns(text, width).size());
    if (space == std::string_view::npos || space == 0) break;
    folded.append(text.substr(0, space)) += '\n';
    text.remove_prefix(space + 1);
  }
  return folded.append(text);
}

}  // namespace vsh::cli
