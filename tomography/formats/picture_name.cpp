#include "tomography/formats/picture_name.hpp"

#include <charconv>
#include <numeric>

#include "cli/system/console.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::quote_name;
using cli::tr;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned>(c) & 0x80); }
bool is_point(char c) { return c == '.' || c == ','; }

// Whether there is a sign of a number at `at`, of which a digit follows.
bool is_sign(const std::string& text, size_t at) {
  return (text[at] == '-' || text[at] == '+') && (at == 0 || (!is_letter(text[at - 1]) && !is_digit(text[at - 1])));
}

// Where the digits begin that end at `end`.
size_t begin_of_digits(const std::string& text, size_t end) {
  while (end > 0 && is_digit(text[end - 1])) --end;
  return end;
}

// Takes the sign, if there is one, in front of `begin`. Returns whether it is a minus.
bool take_sign(const std::string& text, size_t& begin) {
  if (begin == 0 || !is_sign(text, begin - 1)) return false;
  return text[--begin] == '-';
}

// Reads the angle that ends at `end`, which becomes its beginning, if there is one.
void take_angle(const std::string& stem, size_t& end, PictureName& result) {
  size_t begin = begin_of_digits(stem, end);
  if (begin == end) return;
  if (begin > 0 && is_point(stem[begin - 1])) begin = begin_of_digits(stem, begin - 1);
  double angle = 0;
  std::string digits = stem.substr(begin, end - begin);
  for (char& c : digits) c = is_point(c) ? '.' : c;
  const auto [next, error] = std::from_chars(digits.data(), digits.data() + digits.size(), angle);
  result.is_clear =
      is_digit(digits[0]) && error == std::errc() && angle <= 1e6 && (begin == 0 || !is_point(stem[begin - 1]));
  result.degrees = take_sign(stem, begin) ? -angle : angle;
  end = begin;
}

// A number with its sign, from `at` on, which is moved behind it; without zeros at its beginning.
struct Number {
  bool is_negative;
  std::string digits;
};
std::optional<Number> take_number(const std::string& text, size_t& at) {
  size_t begin = at;
  if (begin + 1 < text.size() && is_sign(text, begin)) ++begin;
  if (begin >= text.size() || !is_digit(text[begin])) return std::nullopt;
  Number number{text[at] == '-', {}};
  for (at = begin; at < text.size() && is_digit(text[at]); ++at)
    if (text[at] != '0' || !number.digits.empty()) number.digits += text[at];
  number.is_negative = number.is_negative && !number.digits.empty();
  return number;
}

int compare(const Number& a, const Number& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  const int by_len = a.digits.size() < b.digits.size() ? -1 : a.digits.size() > b.digits.size() ? 1 : 0;
  const int by_value = by_len != 0 ? by_len : a.digits.compare(b.digits);
  return a.is_negative ? -by_value : by_value;
}

}  // namespace

PictureName read_picture_name(const std::string& name) {
  PictureName result;
  const std::string stem = cli::lower_case(name.substr(0, name.rfind('.')));
  size_t end = stem.size();
  for (size_t at = stem.rfind("deg"); at != stem.npos && at > 0 && !result.degrees; at = stem.rfind("deg", at - 1)) {
    size_t begin = at;
    take_angle(stem, begin, result);
    if (result.degrees) end = begin;
  }
  while (end > 0 && !is_digit(stem[end - 1])) --end;
  size_t begin = begin_of_digits(stem, end);
  int64_t number = 0;
  const auto [next, error] = std::from_chars(stem.data() + begin, stem.data() + end, number);
  if (error == std::errc() && number <= int64_t{1} << 52) result.number = take_sign(stem, begin) ? -number : number;
  return result;
}

cli::Failure unclear_angle(const std::string& name) {
  return {cli::ExitCode::input, quote_name(name) + ": " + tr("the angle in its name is not clear"),
          tr("write it as in p1_45.5deg.tif")};
}

bool is_name_before(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const auto m = take_number(a, i), n = take_number(b, j);
    if (m && n) {
      if (const int order = compare(*m, *n); order != 0) return order < 0;
      continue;
    }
    const char c = m ? '0' : a[i++], d = n ? '0' : b[j++];  // of all numbers one place among letters
    if (c != d) return c < d;
  }
  return a.size() - i < b.size() - j || (a.size() - i == b.size() - j && a < b);
}

PicturePlaces places_of(const std::vector<std::string>& names, const std::string& folder) {
  PicturePlaces result;
  std::vector<int64_t> numbers;
  int64_t apart = 0;
  for (const std::string& name : names) {
    const auto number = read_picture_name(name).number;
    if (!number || (!numbers.empty() && *number <= numbers.back())) return result;  // in the order of their names
    if (!numbers.empty()) apart = std::gcd(apart, *number - numbers.back());
    numbers.push_back(*number);
  }
  if (apart == 0) return result;
  const auto span = static_cast<uint64_t>((numbers.back() - numbers.front()) / apart) + 1;
  if (span == numbers.size()) return result;
  // Where less than half is there, the numbers are perhaps times.
  if (span > 2 * uint64_t{numbers.size()}) {
    cli::print_note(
        tr("{1}: the numbers of the pictures have large gaps: their order alone is taken", quote_name(folder)));
    return result;
  }
  size_t gap = 1;
  while (numbers[gap] - numbers[gap - 1] == apart) ++gap;
  cli::print_note(tr("{1}: {2} of {3} pictures are missing by the numbers in their names, the first behind {4}",
                     quote_name(folder), span - numbers.size(), span, quote_name(names[gap - 1])));
  for (const int64_t number : numbers) result.places.push_back(static_cast<size_t>((number - numbers[0]) / apart));
  result.num = span;
  if (apart == 1 && numbers[0] >= 0) result.first = static_cast<size_t>(numbers[0]);
  return result;
}

std::vector<double> PicturePlaces::choose(std::vector<double> list) const {
  if (places.empty() || list.size() == places.size()) return list;
  // The list begins with number 0, or with number 1, or with the first picture that is there.
  size_t skipped = 0;
  if (first && (list.size() == *first + num || (*first == 0 && list.size() > num))) skipped = *first;
  else if (first && *first > 0 && list.size() == *first + num - 1) skipped = *first - 1;
  else if (list.size() != num) return list;
  std::vector<double> chosen;
  for (const size_t place : places) chosen.push_back(list[skipped + place]);
  return chosen;
}

}  // namespace vsh::tomo
