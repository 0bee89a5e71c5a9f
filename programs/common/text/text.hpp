// File names and data in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "programs/common/text/translate.hpp"

namespace vsh::cli {

// Quotes a name for a message: verbatim if it is plain, else in shell syntax: 'a b', 'a'$'\n''b'. Always one line, and
// without bytes that a terminal obeys, characters that show nothing, and those that turn the text around them.
std::string quote_name(std::string_view name);

// Returns the character at the beginning of UTF-8 if it shows nothing of itself or turns the text around it: one of
// src/core/invisible.def, whose comment names Unicode's properties. Not so the joiners U+200C and U+200D, which Persian
// and Indic words are written with. Else 0.
uint32_t invisible_character(std::string_view text);

// Returns whether quote_name escapes nothing of the text: UTF-8 that shows what it is.
bool is_visible_text(std::string_view text);

// Returns true for UTF-8 without control characters other than tab, line feed and carriage return. The bytes may be a
// piece of longer text, with a character cut at either end.
bool is_printable_text(std::string_view bytes);

// Returns the text with every byte that is not UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view bytes);

// Returns how many columns the characters of a UTF-8 text take: none of them is wide or combines with another.
size_t columns_of(std::string_view text);
// Returns the beginning of a text that takes that many columns.
std::string_view first_columns(std::string_view text, size_t columns);

// Breaks the text, UTF-8, at spaces into lines of at most `width` columns; a longer word has a line of its own.
std::string fold(std::string_view text, size_t width);

std::string lower_case(std::string_view text);  // of Latin and Russian letters

// Returns the word that `text` probably means: few letters changed, left out, added or swapped. Empty if none is near,
// or several are equally near.
std::string nearest(std::string_view text, const std::vector<std::string>& words);

// "64 hexadecimal digits".
inline std::string digits_of(unsigned long long count) {
  return tr_count(count, "{1} hexadecimal digit", "{1} hexadecimal digits");
}

inline std::string bytes_of(unsigned long long count) { return tr_count(count, "{1} byte", "{1} bytes"); }

}  // namespace vsh::cli
