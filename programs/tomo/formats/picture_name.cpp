#include "programs/tomo/formats/picture_name.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "programs/common/system/console.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

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
std::optional<Number> take_number(const std::string& text, size_t& at, bool have_signs = true) {
  size_t begin = at;
  if (begin + 1 < text.size() && is_sign(text, begin)) ++begin;
  if (begin >= text.size() || !is_digit(text[begin])) return std::nullopt;
  Number number{text[at] == '-', {}};
  for (at = begin; at < text.size() && is_digit(text[at]); ++at)
    if (text[at] != '0' || !number.digits.empty()) number.digits += text[at];
  number.is_negative = have_signs && number.is_negative && !number.digits.empty();
  return number;
}

int compare(const Number& a, const Number& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  const int by_len = a.digits.size() < b.digits.size() ? -1 : a.digits.size() > b.digits.size() ? 1 : 0;
  const int by_value = by_len != 0 ? by_len : a.digits.compare(b.digits);
  return a.is_negative ? -by_value : by_value;
}

// Whether a name is before another one: numbers by their values, the rest by letters. "p_-2", "p_2", "p_10".
bool is_name_before(const std::string& a, const std::string& b, bool have_signs) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const auto m = take_number(a, i, have_signs), n = take_number(b, j, have_signs);
    if (m && n) {
      if (const int order = compare(*m, *n); order != 0) return order < 0;
      continue;
    }
    const char c = m ? '0' : a[i++], d = n ? '0' : b[j++];  // of all numbers one place among letters
    if (c != d) return c < d;
  }
  return a.size() - i < b.size() - j || (a.size() - i == b.size() - j && a < b);
}

// Whether hyphens in front of numbers are signs in a folder, where some names have them and others have none; such as
// p_-001, p_-002, ... have a hyphen in each.
bool have_signs(const std::vector<std::string>& names) {
  std::map<std::string, std::string> signs_of;  // of numbers, by the rest of a name
  for (const std::string& name : names) {
    std::string rest, signs;
    for (size_t at = 0; at < name.size();) {
      const bool is_minus = name[at] == '-';
      if (!take_number(name, at)) rest += name[at++];
      else rest += '0', signs += is_minus ? '-' : '+';
    }
    if (signs_of.emplace(rest, signs).first->second != signs) return true;
  }
  return false;
}

// The numbers that frames without object or beam have among those of projections: whose names differ in the number
// alone, and of which none is a projection's, as it would be if they were counted apart.
std::set<int64_t> numbers_of_fields(const std::vector<std::string>& names, const std::vector<int64_t>& numbers,
                                    const std::vector<std::vector<std::string>>& fields, bool have_signs) {
  const std::string before = read_picture_name(names[0]).before;
  std::set<int64_t> all;
  for (const std::vector<std::string>& list : fields) {
    std::set<int64_t> own;
    for (const std::string& name : list)
      if (const PictureName about = read_picture_name(name); about.number && about.before == before)
        own.insert(have_signs ? *about.number : std::abs(*about.number));
    if (std::none_of(numbers.begin(), numbers.end(), [&](int64_t number) { return own.contains(number); }))
      all.merge(own);
  }
  return all;
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
  result.before = stem.substr(0, begin);
  return result;
}

cli::Failure unclear_angle(const std::string& name) {
  return {cli::ExitCode::input, quote_name(name) + ": " + tr("the angle in its name is not clear"),
          tr("write it as in p1_45.5deg.tif")};
}

void sort_names(std::vector<std::string>& names) {
  const bool signs = have_signs(names);
  std::sort(names.begin(), names.end(),
            [signs](const std::string& a, const std::string& b) { return is_name_before(a, b, signs); });
}

PicturePlaces places_of(const std::vector<std::string>& names, const std::string& folder,
                        const std::vector<std::vector<std::string>>& fields) {
  PicturePlaces result;
  std::vector<int64_t> numbers;
  int64_t apart = 0;
  const bool signs = have_signs(names);
  for (const std::string& name : names) {
    auto number = read_picture_name(name).number;
    if (number && *number < 0 && !signs) result.has_hyphens = true, number = -*number;
    if (!number || (!numbers.empty() && *number <= numbers.back())) return result;  // in the order of their names
    if (!numbers.empty()) apart = std::gcd(apart, *number - numbers.back());
    numbers.push_back(*number);
  }
  if (apart == 0) return result;
  const auto place = [&](int64_t number) { return static_cast<size_t>((number - numbers[0]) / apart); };
  result.num = place(numbers.back()) + 1;
  if (result.num == numbers.size()) return result;
  const std::set<int64_t> others = numbers_of_fields(names, numbers, fields, signs);
  auto other = others.upper_bound(numbers[0]);
  size_t num_others = 0;
  for (const int64_t number : numbers) {
    for (; other != others.end() && *other < number; ++other) num_others += (*other - numbers[0]) % apart == 0;
    result.places.push_back(place(number));
    result.steps.push_back(place(number) - num_others);
  }
  if (apart == 1 && numbers[0] >= 0) result.first = static_cast<size_t>(numbers[0]);
  const size_t num_steps = result.steps.back() + 1;
  if (num_steps == numbers.size()) return result;
  size_t gap = 1;
  while (result.steps[gap] - result.steps[gap - 1] == 1) ++gap;
  result.problem = tr("{1}: {2} of {3} pictures are missing by the numbers in their names, the first behind {4}",
                      quote_name(folder), num_steps - numbers.size(), num_steps, quote_name(names[gap - 1]));
  return result;
}

void PicturePlaces::report() const {
  if (!problem.empty()) cli::print_note(problem);
}

std::vector<double> PicturePlaces::choose(std::vector<double> list) const {
  if (places.empty() || list.size() == places.size()) return list;
  const auto pick = [&](const std::vector<size_t>& from, size_t skipped) {
    std::vector<double> chosen;
    for (const size_t place : from) chosen.push_back(list[skipped + place]);
    return chosen;
  };
  if (list.size() == steps.back() + 1) return pick(steps, 0);
  // The list begins with number 0, or with number 1, or with the first picture that is there.
  if (first && (list.size() == *first + num || (*first == 0 && list.size() > num))) return pick(places, *first);
  if (first && *first > 0 && list.size() == *first + num - 1) return pick(places, *first - 1);
  return list.size() == num ? pick(places, 0) : list;
}

}  // namespace vsh::tomo
