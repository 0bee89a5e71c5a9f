#include "programs/common/text/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace vsh::cli {
namespace {

enum class Utf8 { valid, c1_control, invalid, cut };

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
  if (overlong || beyond) return Utf8::invalid;
  len = need;
  return lead == 0xc2 && second < 0xa0 ? Utf8::c1_control : Utf8::valid;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Returns whether the character at name[i] can be shown as it is; sets `len` to its bytes.
bool is_visible_at(std::string_view name, size_t i, size_t& len) {
  return utf8_at(name, i, len) == Utf8::valid && !is_control(name[i]) && invisible_character(name.substr(i, len)) == 0;
}

bool is_plain(std::string_view name) {
  if (name.empty() || name[0] == '#' || name[0] == '~') return false;
  size_t len = 0;
  for (size_t i = 0; i < name.size(); i += len) {
    if (!is_visible_at(name, i, len)) return false;
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

uint32_t invisible_character(std::string_view text) {
  static constexpr struct {
    uint32_t first, last;
  } ranges[] = {
#define VSH_INVISIBLE(first, last) {first, last},
#include "src/core/invisible.def"
#undef VSH_INVISIBLE
  };
  size_t len = 0;
  if (text.empty() || utf8_at(text, 0, len) != Utf8::valid || len < 2) return 0;
  uint32_t code = static_cast<unsigned char>(text[0]) & (0x7fu >> len);
  for (size_t k = 1; k < len; ++k) code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3f);
  const bool is_among = std::any_of(std::begin(ranges), std::end(ranges),
                                    [&](const auto& range) { return code >= range.first && code <= range.last; });
  return is_among ? code : 0;
}

std::string quote_name(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string quoted = "'";
  size_t len = 0;
  for (size_t i = 0; i < name.size(); i += len) {
    if (!is_visible_at(name, i, len)) {
      quoted += "'$'";
      for (const char c : name.substr(i, len)) quoted += escape_byte(c);
      while (i + len < name.size() && is_control(name[i + len])) quoted += escape_byte(name[i + len++]);
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

bool is_visible_text(std::string_view text) {
  size_t len = 0;
  for (size_t i = 0; i < text.size(); i += len)
    if (!is_visible_at(text, i, len)) return false;
  return true;
}

bool is_printable_text(std::string_view bytes) {
  for (int i = 0; i < 3 && !bytes.empty() && (bytes[0] & 0xc0) == 0x80; ++i) bytes.remove_prefix(1);
  size_t len = 0;
  for (size_t i = 0; i < bytes.size(); i += len) {
    const Utf8 kind = utf8_at(bytes, i, len);
    if (kind == Utf8::cut) return true;
    if (kind == Utf8::invalid || kind == Utf8::c1_control) return false;
    if (is_control(bytes[i]) && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r') return false;
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  size_t len = 0;
  for (size_t i = 0; i < bytes.size(); i += len) {
    const Utf8 kind = utf8_at(bytes, i, len);
    if (kind == Utf8::valid || kind == Utf8::c1_control) text += bytes.substr(i, len);
    else text += "\xef\xbf\xbd", len = 1;
  }
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (size_t i = 0; i < lower.size(); ++i) {
    char& c = lower[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c != '\xd0' || i + 1 == lower.size()) continue;
    // U+0401, U+0410 to U+042F; their small letters are 80 and 32 further.
    const auto low = static_cast<unsigned char>(lower[i + 1]);
    const unsigned small = low == 0x81 ? 0x451 : low >= 0x90 && low < 0xb0 ? 0x410u + (low - 0x90) + 32 : 0;
    if (small == 0) continue;
    c = static_cast<char>(0xc0 | small >> 6);
    lower[i + 1] = static_cast<char>(0x80 | (small & 0x3f));
  }
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
  std::string folded(text);
  size_t columns = 0, behind_space = 0, space = std::string::npos;  // of the line that ends here
  for (size_t i = 0; i < folded.size(); ++i) {
    if ((folded[i] & 0xc0) == 0x80) continue;  // of the character before
    const bool is_space = folded[i] == ' ' && columns > 0;
    if (is_space) space = i;
    behind_space = is_space ? 0 : behind_space + 1;
    ++columns;
    if (columns <= width || space == std::string::npos) continue;
    folded[space] = '\n';
    columns = behind_space;
    space = std::string::npos;
  }
  return folded;
}

}  // namespace vsh::cli
