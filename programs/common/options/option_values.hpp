// The values of options: one strict reader of numbers and names for every command.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::cli {

// Bounds and form of a number.
struct NumberRule {
  uint64_t min = 0, max = UINT64_MAX;
  bool is_size = false;  // counts bytes: K, M, G, T or KiB, MiB, GiB, TiB may follow, all powers of 1024
  uint64_t multiple_of = 1;
  bool power_of_two = false;
  const char* note = nullptr;  // printed with the bounds: the meaning of a special number; marked for translation
};

template <class Value>
struct ReadValue {
  Value value{};
  std::string problem = {}, advice = {};  // about `option`; the value is valid without a problem
};

// Reads decimal digits, leading zeros included, and nothing else except the unit of a size.
ReadValue<uint64_t> read_number(std::string_view option, std::string_view text, const NumberRule& rule);
// Reads decimal digits with at most one point, before, among or behind them, and an exponent, as 6.5e-4. No sign.
ReadValue<double> read_decimal(std::string_view option, std::string_view text, double min, double max);

// One of several names.
struct NameRule {
  std::string what;  // "cipher", marked for translation
  std::function<std::vector<std::string>()> names;
};
// Returns a rule of the names from name_of(0), name_of(1), ..., up to a null.
NameRule one_of(const std::string& what, const char* (*name_of)(size_t));
// Returns the name as listed. Case-insensitive; suggests the nearest name for an unknown text.
ReadValue<std::string> read_name(std::string_view option, std::string_view text, const NameRule& rule);

// Returns "a, b, c".
std::string join(const std::vector<std::string>& names, std::string_view between = ", ");

// Returns the name for messages of an option declared as "-t,--threads".
std::string shown_name(const std::string& names);

// Returns the value; throws a Failure for a problem.
template <class Value>
Value value_or_failure(ReadValue<Value> read) {
  if (!read.problem.empty()) throw Failure(ExitCode::usage, read.problem, read.advice);
  return std::move(read.value);
}

// Splits the texts at each separator, if there is one.
std::vector<std::string> split(const Texts& texts, char separator);

// Adds an option whose value, read(option, text), is assigned to `value`; a vector grows by one each time it is given
// and, with `separator`, for each piece between separators.
template <class Value, class Read>
Option* add_value(Command& command, const std::string& names, Value& value, const std::string& description,
                  const std::string& type, Read read, char separator = 0) {
  const auto take = [&value, read, separator, name = shown_name(names)](const Texts& texts) {
    if constexpr (is_list<Value>) {
      value.clear();
      for (const std::string& text : split(texts, separator))
        value.push_back(static_cast<typename Value::value_type>(value_or_failure(read(name, text))));
    } else {
      value = static_cast<Value>(value_or_failure(read(name, split(texts, separator).back())));
    }
  };
  return command.add_option(names, type, description, is_list<Value>, take);
}

template <class Value>
Option* add_number(Command& command, const std::string& names, Value& value, const NumberRule& rule,
                   const std::string& description, const std::string& type = "N", char separator = 0) {
  const auto read = [rule](const std::string& name, const std::string& text) { return read_number(name, text, rule); };
  return add_value(command, names, value, description, type, read, separator);
}

template <class Value>
Option* add_name(Command& command, const std::string& names, Value& value, const NameRule& rule,
                 const std::string& description, const std::string& type, char separator = 0) {
  const auto read = [rule](const std::string& name, const std::string& text) { return read_name(name, text, rule); };
  return add_value(command, names, value, description, type, read, separator)->offers(rule.names);
}

// Returns "-", the file of a command for which none is named. Throws a Failure if that would wait for a terminal.
std::string standard_input();

// Throws a Failure for a text that is not bytes in hexadecimal digits. It quotes no digit.
void check_hex(const std::string& option, std::string_view text);

// Adds an option for bytes in hexadecimal digits, at least one.
Option* add_hex(Command& command, const std::string& names, std::vector<uint8_t>& value,
                const std::string& description);

// The Failure for an --iv-hex of the wrong length; or, where none was given, that of `needs` with its advice.
Failure iv_option_failure(const std::string& needs, const std::vector<uint8_t>& iv, const std::string& advice);

inline Option* add_seconds(Command& command, double& value, double min, double max, const std::string& description) {
  const auto read = [=](const std::string& name, const std::string& text) {
    return read_decimal(name, text, min, max);
  };
  return add_value(command, "--min-time", value, description, "SECONDS", read);
}

}  // namespace vsh::cli
