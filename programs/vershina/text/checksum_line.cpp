#include "programs/vershina/text/checksum_line.hpp"

#include <algorithm>

#include "programs/common/text/hex.hpp"

namespace vsh::cli {
namespace {

// Tags of lines; the first of each algorithm is written, all are read. Case-insensitive: RHash writes GOST94-CRYPTOPRO,
// and the case in `openssl dgst` depends on the provider.
constexpr struct {
  vsh_hash_algorithm algorithm;
  std::string_view tag;
} kTags[] = {{VSH_STREEBOG256, "Streebog-256"},
             {VSH_STREEBOG512, "Streebog-512"},
             {VSH_GOST94_CRYPTOPRO, "GOST94-CryptoPro"},
             {VSH_GOST94_TEST, "GOST94-Test"},
             {VSH_STREEBOG256, "GOST12-256"},  // RHash
             {VSH_STREEBOG512, "GOST12-512"},
             {VSH_GOST94_TEST, "GOST94"},
             {VSH_STREEBOG256, "md_gost12_256"},  // openssl dgst: GOST engine, this provider
             {VSH_STREEBOG512, "md_gost12_512"},
             {VSH_GOST94_CRYPTOPRO, "md_gost94"},
             {VSH_STREEBOG256, "id-tc26-gost3411-12-256"},  // the engine's provider
             {VSH_STREEBOG512, "id-tc26-gost3411-12-512"},
             {VSH_GOST94_CRYPTOPRO, "id-GostR3411-94"}};

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::optional<vsh_hash_algorithm> algorithm_of_tag(std::string_view text) {
  for (const auto& [algorithm, tag] : kTags)
    if (std::ranges::equal(text, tag, {}, to_lower, to_lower)) return algorithm;
  return std::nullopt;
}

bool needs_escape(std::string_view name) { return name.find_first_of("\\\n\r") != name.npos; }

std::string escape(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '\\') escaped += "\\\\";
    else if (c == '\n') escaped += "\\n";
    else if (c == '\r') escaped += "\\r";
    else escaped += c;
  }
  return escaped;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == '\\') name += '\\';
    else if (text[i] == 'n') name += '\n';
    else if (text[i] == 'r') name += '\r';
    else return std::nullopt;
  }
  return name;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<ChecksumLine> make_line(std::string_view hex, std::string_view name, bool escaped, size_t len) {
  ChecksumLine line;
  line.digest.resize(len);
  if (!decode_hex(hex, line.digest)) return std::nullopt;
  if (!escaped) {
    line.name = name;
    return line;
  }
  auto plain = unescape(name);
  if (!plain) return std::nullopt;
  line.name = std::move(*plain);
  return line;
}

// Parses "(NAME) = HEX", the text after the tag. The name ends at the last parenthesis.
std::optional<ChecksumLine> parse_after_tag(std::string_view text, bool escaped, vsh_hash_algorithm algorithm) {
  skip(text, " ");
  if (!skip(text, "(")) return std::nullopt;
  const size_t close = text.rfind(')');
  if (close == text.npos) return std::nullopt;
  const std::string_view name = text.substr(0, close);
  text.remove_prefix(close + 1);
  skip_blanks(text);
  if (!skip(text, "=")) return std::nullopt;
  skip_blanks(text);
  auto parsed = make_line(text, name, escaped, vsh_hash_len(algorithm));
  if (parsed) parsed->has_tag = true, parsed->algorithm = algorithm;
  return parsed;
}

}  // namespace

std::string format_checksum_line(std::string_view hex, std::string_view name, char marker, char end) {
  const bool escaped = end != '\0' && needs_escape(name);
  std::string line = escaped ? "\\" : "";
  line.append(hex).append(1, ' ').append(1, marker).append(escaped ? escape(name) : std::string(name));
  return line.append(1, end);
}

std::string format_tag_line(vsh_hash_algorithm algorithm, std::string_view hex, std::string_view name, char end) {
  const bool escaped = end != '\0' && needs_escape(name);
  std::string line = escaped ? "\\" : "";
  line.append(std::ranges::find(kTags, algorithm, [](const auto& row) { return row.algorithm; })->tag);
  line.append(" (").append(escaped ? escape(name) : std::string(name));
  return line.append(") = ").append(hex).append(1, end);
}

std::string escape_for_result(std::string_view name) {
  return needs_escape(name) ? "\\" + escape(name) : std::string(name);
}

std::optional<ChecksumLine> parse_checksum_line(std::string_view line, std::optional<vsh_hash_algorithm> algorithm,
                                                ListForm& form) {
  if (line.find('\0') != line.npos) return std::nullopt;  // not in a file name
  skip_blanks(line);
  const bool escaped = skip(line, "\\");
  const size_t tag_len = std::min(line.find_first_of(" ("), line.size());
  if (const auto tagged = algorithm_of_tag(line.substr(0, tag_len))) {
    if (algorithm.value_or(*tagged) != *tagged) return std::nullopt;
    return parse_after_tag(line.substr(tag_len), escaped, *tagged);
  }

  size_t digits = 0;
  while (digits < line.size() && is_hex_digit(line[digits])) ++digits;
  const std::string_view hex = line.substr(0, digits);
  const vsh_hash_algorithm expected = algorithm.value_or(digits == 128 ? VSH_STREEBOG512 : VSH_STREEBOG256);
  if (digits != 2 * vsh_hash_len(expected)) return std::nullopt;
  line.remove_prefix(digits);
  if (line.size() < 2 || !is_blank(line[0])) return std::nullopt;
  line.remove_prefix(1);
  if (line.size() == 1 || (line[0] != ' ' && line[0] != '*')) {
    if (form == ListForm::standard) return std::nullopt;
    form = ListForm::bsd_reversed;
  } else if (form != ListForm::bsd_reversed) {
    form = ListForm::standard;
    line.remove_prefix(1);
  }
  auto parsed = make_line(hex, line, escaped, vsh_hash_len(expected));
  if (parsed) parsed->algorithm = expected;
  return parsed;
}

std::optional<ChecksumLine> parse_mac_line(std::string_view line, size_t len) {
  if (line.find('\0') != line.npos) return std::nullopt;
  const bool escaped = skip(line, "\\");
  if (line.size() <= 2 * len + 2 || line.substr(2 * len, 2) != "  ") return std::nullopt;
  return make_line(line.substr(0, 2 * len), line.substr(2 * len + 2), escaped, len);
}

}  // namespace vsh::cli
