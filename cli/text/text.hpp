// File names and data shown to people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vsh::cli {

// A name inside a message: as it is where it is plain, else quoted as a shell reads it: 'a b', 'a'$'\n''b'.
// One line whatever the name holds.
std::string quote_name(std::string_view name);

// True for UTF-8 without control characters other than tab, line feed and carriage return. The bytes may be a
// piece of longer text, with a character cut at either end.
bool is_printable_text(std::string_view bytes);

// "1 byte", "2 bytes".
std::string count_of(unsigned long long count, std::string_view singular, std::string_view plural);
// The text in lines of at most `width` characters, broken at spaces; no word is.
std::string fold(std::string_view text, size_t width);

std::string lower_case(std::string_view text);  // of ASCII

// The word that `text` was probably meant to be: few letters changed, left out, added or swapped. Empty where none is
// near, and where several are equally near.
std::string nearest(std::string_view text, const std::vector<std::string>& words);

inline std::string bytes_of(unsigned long long count) { return count_of(count, "byte", "bytes"); }

}  // namespace vsh::cli
