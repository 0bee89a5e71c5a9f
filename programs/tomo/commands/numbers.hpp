// Options of this program's commands: words for enumerators, numbers with a sign, pairs, lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/tomo/formats/elements.hpp"

namespace vsh::tomo {

// A word of the command line, and of the history of a volume, and what it stands for.
template <class Value>
struct Word {
  const char* text;
  Value value;
};
template <class Value, size_t num>
std::string word_of(const Word<Value> (&words)[num], Value value) {
  return std::find_if(words, words + num - 1, [&](const auto& word) { return word.value == value; })->text;
}
// words: of static storage.
template <class Target, class Value, size_t num>
cli::Option* add_word(cli::Command& command, const std::string& names, Target& target, const char* what,
                      const Word<Value> (&words)[num], const std::string& description, const std::string& type) {
  const cli::NameRule rule{what, [&words] {
                             cli::Texts texts;
                             for (const auto& word : words) texts.emplace_back(word.text);
                             return texts;
                           }};
  const auto take = [&target, &words, rule, name = cli::shown_name(names)](const cli::Texts& texts) {
    const std::string text = cli::value_or_failure(cli::read_name(name, texts.back(), rule));
    for (const auto& word : words)
      if (word.text == text) target = word.value;
  };
  return command.add_option(names, type, description, false, take)->offers(rule.names);
}

// A decimal number that may have a sign. Throws a Failure outside of the bounds.
double read_signed(const std::string& option, const std::string& text, double min, double max);
cli::Option* add_signed(cli::Command& command, const std::string& names, std::optional<double>& value, double min,
                        double max, const std::string& type, const std::string& description);
// value: a number, or an optional one.
template <class Value>
cli::Option* add_positive(cli::Command& command, const std::string& names, Value& value, double min, double max,
                          const std::string& type, const std::string& description) {
  const auto read = [min, max](const std::string& name, const std::string& text) {
    return cli::read_decimal(name, text, min, max);
  };
  return cli::add_value(command, names, value, description, type, read);
}

// "LOW:HIGH", the second above the first.
struct Pair {
  double low, high;
};
cli::Option* add_pair(cli::Command& command, const std::string& names, std::optional<Pair>& value,
                      const std::string& description);
// "FIRST:END" of whole numbers, END not included; either may be missing.
struct IndexRange {
  uint64_t first = 0;
  std::optional<uint64_t> end;
};
cli::Option* add_range(cli::Command& command, const std::string& names, std::optional<IndexRange>& value,
                       const std::string& description);

// Angles of a file, one number a line, or a NumPy array. Throws Failure.
std::vector<double> read_angles(const std::string& path);

}  // namespace vsh::tomo
