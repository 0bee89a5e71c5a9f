// File names and data in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/text/translate.hpp"

namespace vsh::cli {

// Quotes a name for a message: verbatim if it is plain, else in shell syntax: 'a b', 'a'$'\n''b'. Always one line.
std::string quote_name(std::string_view name);

// Returns true for UTF-8 without control characters other than tab, line feed and carriage return. The bytes may be a
// piece of longer text, with a character cut at either end.
bool is_printable_text(std::string_view bytes);

// Returns how many columns the characters of a UTF-8 text take: none of them is wide or combines with another.
size_t columns_of(std::string_view text);
// Returns the beginning of a text that takes that many columns.
std::string_view first_columns(std::string_view text, size_t columns);

// Breaks the text at spaces into lines of at most `width` columns; never breaks a word.
std::string fold(std::string_view text, size_t width);

std::string lower_case(std::string_view text);  // of ASCII

// Returns the word that `text` probably means: few letters changed, left out, added or swapped. Empty if none is near,
// or several are equally near.
std::string nearest(std::string_view text, const std::vector<std::string>& words);

// "64 hexadecimal digits".
inline std::string digits_of(unsigned long long count) {
  return tr_count(count, "{1} hexadecimal digit", "{1} hexadecimal digits");
}

inline std::string bytes_of(unsigned long long count) { return tr_count(count, "{1} byte", "{1} bytes"); }

}  // namespace vsh::cli
