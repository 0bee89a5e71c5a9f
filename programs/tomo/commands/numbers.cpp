#include "programs/tomo/commands/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

double read_signed(const std::string& option, const std::string& text, double min, double max) {
  const bool is_negative = text.starts_with('-');
  const cli::ReadValue<double> read = cli::read_decimal(option, is_negative ? text.substr(1) : text, 0, 1e15);
  if (!read.problem.empty())
    throw Failure(ExitCode::usage, read.problem, tr("give a number from {1} to {2}", shown(min), shown(max)));
  const double result = is_negative ? -read.value : read.value;
  if (result < min || result > max)
    throw Failure(ExitCode::usage, tr("{1}: {2} is out of bounds", option, cli::quote_name(text)),
                  tr("give a number from {1} to {2}", shown(min), shown(max)));
  return result;
}

cli::Option* add_signed(cli::Command& command, const std::string& names, std::optional<double>& value, double min,
                        double max, const std::string& type, const std::string& description) {
  const auto take = [&value, min, max, name = cli::shown_name(names)](const cli::Texts& texts) {
    value = read_signed(name, texts.back(), min, max);
  };
  return command.add_option(names, type, description, false, take);
}

cli::Option* add_pair(cli::Command& command, const std::string& names, std::optional<Pair>& value,
                      const std::string& description) {
  const auto take = [&value, name = cli::shown_name(names)](const cli::Texts& texts) {
    const size_t colon = texts.back().find(':');
    if (colon == std::string::npos)
      throw Failure(ExitCode::usage, tr("{1}: {2} is not a pair", name, cli::quote_name(texts.back())),
                    tr("give LOW:HIGH, as 0:0.5"));
    Pair pair{read_signed(name, texts.back().substr(0, colon), -1e12, 1e12),
              read_signed(name, texts.back().substr(colon + 1), -1e12, 1e12)};
    if (!(pair.low < pair.high))
      throw Failure(ExitCode::usage, tr("{1}: {2} is empty", name, cli::quote_name(texts.back())),
                    tr("the second number must be above the first"));
    value = pair;
  };
  return command.add_option(names, "LOW:HIGH", description, false, take);
}

cli::Option* add_range(cli::Command& command, const std::string& names, std::optional<IndexRange>& value,
                       const std::string& description) {
  const auto take = [&value, name = cli::shown_name(names)](const cli::Texts& texts) {
    const std::string& text = texts.back();
    const size_t colon = text.find(':');
    const auto number = [&](const std::string& digits) {
      return cli::value_or_failure(cli::read_number(name, digits, {.max = kMostRows}));
    };
    IndexRange range;
    if (colon == std::string::npos) {
      range.first = number(text);
      range.end = range.first + 1;
    } else {
      if (colon > 0) range.first = number(text.substr(0, colon));
      if (colon + 1 < text.size()) range.end = number(text.substr(colon + 1));
    }
    if (range.end && *range.end <= range.first)
      throw Failure(ExitCode::usage, tr("{1}: {2} is empty", name, cli::quote_name(text)),
                    tr("give FIRST:END, where END is not included"));
    value = range;
  };
  return command.add_option(names, "FIRST:END", description, false, take);
}

std::vector<double> read_angles(const std::string& path) {
  std::vector<double> angles;
  if (path.ends_with(".npy")) {
    ArrayFile file = ArrayFile::npy(path);
    if (file.shape().size() != 1 || file.shape()[0] > kMostAngles)
      throw Failure(ExitCode::input, tr("{1}: is not a list of angles", file.name()), tr("one dimension is needed"));
    std::vector<float> numbers(file.shape()[0]);
    file.read(numbers.data(), 0, numbers.size());
    angles.assign(numbers.begin(), numbers.end());
    return angles;
  }
  cli::InputFile input = open_regular(path);
  std::vector<uint8_t> bytes(4 << 20);
  bytes.resize(input.read_all(bytes));
  const char* at = reinterpret_cast<const char*>(bytes.data());
  const char* const end = at + bytes.size();
  while (true) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == ',')) ++at;
    if (at == end) break;
    double angle = 0;
    const auto [next, error] = std::from_chars(at, end, angle);
    if (error != std::errc() || !std::isfinite(angle) || angles.size() >= kMostAngles)
      throw Failure(ExitCode::input, tr("{1}: number {2} is not an angle", input.name(), angles.size() + 1),
                    tr("give degrees, one a line"));
    at = next;
    angles.push_back(angle);
  }
  return angles;
}

}  // namespace vsh::tomo
