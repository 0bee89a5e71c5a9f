// Messages in the language of the user's locale, through gettext. English is the text in the source and the key of the
// catalogue, programs/po; a build without gettext, a locale without a catalogue and one that is not UTF-8 leave it as
// it is.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace vsh::cli {

// Turns translation on, with the catalogues in this directory (programs/common/system/language.hpp chooses it).
void translate_from(const std::string& catalogues);

// Turns translation off while it lives: JSON is the same in every language.
class English {
 public:
  English();
  ~English();
  English(const English&) = delete;
  English& operator=(const English&) = delete;

 private:
  const bool before_;
};

// Returns the text with each {1}, {2}, ... replaced by that argument. Other braces stay, those of arguments too.
std::string fill(std::string_view text, std::initializer_list<std::string> arguments);

// Marks a text for the catalogue that tr() translates later: a constant, a message of the library.
constexpr const char* mark(const char* english) { return english; }

inline std::string argument_text(std::string_view text) { return std::string(text); }
template <std::integral Number>
std::string argument_text(Number number) {
  return std::to_string(number);
}

std::string translated(const char* english);
std::string translated(const char* one, const char* many, unsigned long long count);

// Returns the text in the user's language with its arguments, texts or whole numbers. `english` is a literal, or a text
// that was marked.
template <class... Arguments>
std::string tr(const char* english, const Arguments&... arguments) {
  if constexpr (sizeof...(arguments) == 0) return translated(english);
  else return fill(translated(english), {argument_text(arguments)...});
}

// Likewise for a text that depends on a number, which is {1}.
template <class... Arguments>
std::string tr_count(unsigned long long count, const char* one, const char* many, const Arguments&... arguments) {
  return fill(translated(one, many, count), {argument_text(count), argument_text(arguments)...});
}

}  // namespace vsh::cli
