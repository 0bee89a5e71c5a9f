#include "programs/common/options/option_values.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "programs/common/options/foreign_names.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Returns the shift of a unit, or -1.
int unit_shift(std::string_view unit) {
  static constexpr std::string_view letters = "KMGT";
  const size_t place = unit.empty() ? letters.npos : letters.find(unit[0]);
  const bool known = place != letters.npos && (unit.size() == 1 || unit.substr(1) == "iB");
  return unit.empty() ? 0 : known ? 10 * (static_cast<int>(place) + 1) : -1;
}

std::string decimal(uint64_t number) { return number == UINT64_MAX ? "2^64 - 1" : std::to_string(number); }

std::string wanted(const NumberRule& rule) {
  const std::string min = decimal(rule.min), max = decimal(rule.max);
  std::string text = rule.power_of_two      ? tr("give a power of two from {1} to {2}", min, max)
                     : rule.multiple_of > 1 ? tr("give a multiple of {1} from {2} to {3}", rule.multiple_of, min, max)
                                            : tr("give a whole number from {1} to {2}", min, max);
  if (rule.is_size) text += tr(", in bytes or with K, M, G or T for powers of 1024");
  if (rule.note != nullptr) text += " (" + tr(rule.note) + ")";
  return text;
}

// Explains why a text is not a number; its first `num_digits` characters are digits.
std::string why_no_number(std::string_view text, size_t num_digits, bool is_size, const std::string& kind) {
  if (text.empty()) return tr("is empty");
  if (text[0] == '-' || text[0] == '+') return tr("has a sign");
  if (text.find_first_of(" \t") != text.npos) return tr("has a blank");
  const bool has_unit = num_digits > 0 && text.find_first_not_of("iBkKmMgGtTpPb", num_digits) == text.npos;
  if (is_size && has_unit) return tr("has an unknown unit");
  return kind;
}

std::string problem_of(std::string_view option, std::string_view text, const std::string& what) {
  static constexpr size_t longest = 60;
  const std::string shown = text.empty() ? "''" : quote_name(text.substr(0, longest));
  return std::string(option) + ": " + shown + (text.size() > longest ? "... " : " ") + what;
}

size_t count_digits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

}  // namespace

ReadValue<uint64_t> read_number(std::string_view option, std::string_view text, const NumberRule& rule) {
  ReadValue<uint64_t> result;
  const auto refuse = [&](const std::string& what) {
    result.problem = problem_of(option, text, what);
    result.advice = wanted(rule);
    return result;
  };
  const size_t num_digits = count_digits(text);
  const int shift = rule.is_size ? unit_shift(text.substr(num_digits)) : num_digits == text.size() ? 0 : -1;
  if (num_digits == 0 || shift < 0)
    return refuse(why_no_number(text, num_digits, rule.is_size, tr("is not a whole number")));
  uint64_t number = 0;
  for (const char c : text.substr(0, num_digits)) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (number > (UINT64_MAX - digit) / 10) return refuse(tr("is too large"));
    number = 10 * number + digit;
  }
  if (number > UINT64_MAX >> shift || number << shift > rule.max) return refuse(tr("is too large"));
  number <<= shift;
  if (number < rule.min) return refuse(tr("is too small"));
  if (rule.power_of_two && !std::has_single_bit(number)) return refuse(tr("is not a power of two"));
  if (number % rule.multiple_of != 0) return refuse(tr("is not a multiple of {1}", rule.multiple_of));
  result.value = number;
  return result;
}

ReadValue<double> read_decimal(std::string_view option, std::string_view text, double min, double max) {
  ReadValue<double> result;
  const auto refuse = [&](const std::string& what) {
    const auto bound = [](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%g", value);
      return std::string(text);
    };
    result.problem = problem_of(option, text, what);
    result.advice = tr("give a number from {1} to {2}", bound(min), bound(max));
    return result;
  };
  // strtod() knows other forms, too. Its point is that of the C locale, which language.cpp leaves.
  const bool is_plain =
      text.find_first_not_of("0123456789.eE+-") == text.npos && !text.starts_with('+') && !text.starts_with('-');
  const std::string copy(text);
  char* end = nullptr;
  result.value = std::strtod(copy.c_str(), &end);
  if (!is_plain || end == copy.c_str() || *end != '\0')
    return refuse(why_no_number(text, count_digits(text), false, tr("is not a decimal number")));
  if (result.value > max) return refuse(tr("is too large"));
  if (result.value < min) return refuse(tr("is too small"));
  return result;
}

ReadValue<std::string> read_name(std::string_view option, std::string_view text, const NameRule& rule) {
  ReadValue<std::string> result;
  const std::vector<std::string> names = rule.names();
  const std::string wanted = lower_case(text);
  for (const std::string& name : names)
    if (lower_case(name) == wanted) result.value = name;
  if (!result.value.empty()) return result;
  const std::string usual = usual_spelling(wanted);
  std::vector<std::string> longer;  // a cipher without its mode, a hash without its length
  for (const std::string& name : names)
    if (name.starts_with(usual) && !is_letter(name[usual.size()])) longer.push_back(name);
  result.advice = advice_for_foreign_name(rule.what, wanted);
  if (result.advice.empty()) result.advice = advice_for_foreign_name(rule.what, usual);
  if (result.advice.empty() && std::find(longer.begin(), longer.end(), usual) != longer.end())
    result.advice = tr("in vershina this is `{1}`", usual);
  const bool has_no_mode = rule.what == "cipher" && !longer.empty() && result.advice.empty();
  result.problem = has_no_mode ? tr("{1}: {2} needs a mode", option, quote_name(text))
                               : tr("{1}: unknown {2} {3}", option, tr(rule.what.c_str()), quote_name(text));
  if (!result.advice.empty()) return result;
  const std::string near = longer.empty() ? nearest(usual, names) : "";
  const std::string list = join(longer.empty() ? names : longer);
  const std::string mgm = usual + "-mgm";
  result.advice = !near.empty() ? tr("did you mean {1}?", near)
                  : has_no_mode && std::find(longer.begin(), longer.end(), mgm) != longer.end()
                      ? tr("most want {1}, which authenticates, or `vershina seal`; all modes: {2}", mgm, list)
                      : tr("choose one of {1}", list);
  return result;
}

NameRule one_of(const std::string& what, const char* (*name_of)(size_t)) {
  return {what, [name_of] {
            std::vector<std::string> names;
            for (size_t i = 0; name_of(i) != nullptr; ++i) names.emplace_back(name_of(i));
            return names;
          }};
}

std::string join(const std::vector<std::string>& names, std::string_view between) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : between).append(name);
  return text;
}

std::string standard_input() {
  if (::isatty(STDIN_FILENO))
    throw Failure(ExitCode::usage, tr("IN is required where standard input is a terminal"),
                  tr("name a file, or - to type the data"));
  return "-";
}

void check_hex(const std::string& option, std::string_view text) {
  const std::string problem = hex_problem(text);
  if (!problem.empty()) throw Failure(ExitCode::usage, option + " " + problem, hex_advice(text));
}

std::string shown_name(const std::string& names) {
  const size_t begin = names.find("--");
  return begin == names.npos ? names : names.substr(begin, names.find(',', begin) - begin);
}

Option* add_hex(Command& command, const std::string& names, std::vector<uint8_t>& value,
                const std::string& description) {
  const auto take = [&value, name = shown_name(names)](const Texts& texts) {
    check_hex(name, texts.back());
    value.resize(texts.back().size() / 2);
    (void)decode_hex(texts.back(), value);
  };
  return command.add_option(names, "HEX", description, false, take);
}

std::vector<std::string> split(const Texts& texts, char separator) {
  std::vector<std::string> pieces;
  for (std::string text : texts) {
    for (size_t end; separator != 0 && (end = text.find(separator)) != text.npos; text.erase(0, end + 1))
      pieces.push_back(text.substr(0, end));
    pieces.push_back(text);
  }
  return pieces;
}

Failure iv_option_failure(const std::string& needs, const std::vector<uint8_t>& iv, const std::string& advice) {
  if (iv.empty()) return Failure(ExitCode::usage, needs, advice);
  return Failure(ExitCode::usage, tr("{1}, and --iv-hex has {2}", needs, bytes_of(iv.size())), tr(kTwoDigitsMakeAByte));
}

}  // namespace vsh::cli
