#include "programs/tomo/phantom/object_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

Object read_object(const std::string& path) {
  cli::InputFile input = open_regular(path);
  std::vector<uint8_t> bytes(1 << 20);
  bytes.resize(input.read_all(bytes));
  const auto refuse = [&](size_t line, const std::string& problem) {
    throw Failure(ExitCode::input, tr("{1}, line {2}: {3}", input.name(), line, problem),
                  tr("a line has density, a, b, c, x, y, z, phi"));
  };
  if (bytes.size() == 1 << 20) refuse(1, tr("the file has 1 MiB or more"));
  Object object;
  const std::string text(bytes.begin(), bytes.end());
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    std::vector<double> values;
    const char *at = line.data(), *const last = at + line.size();
    while (true) {
      while (at < last && (*at == ' ' || *at == '\t' || *at == ',' || *at == '\r')) ++at;
      if (at == last) break;
      double value = 0;
      const auto [next, error] = std::from_chars(at, last, value);
      if (error != std::errc() || !std::isfinite(value) || std::fabs(value) > 1e6)
        refuse(number, tr("no number where one should be"));
      at = next;
      values.push_back(value);
    }
    if (values.empty()) continue;
    if (values.size() != 8) refuse(number, tr("{1} numbers", values.size()));
    for (size_t i = 1; i <= 3; ++i)
      if (!(values[i] > 1e-6)) refuse(number, tr("a half axis that is not above 0"));
    object.push_back({values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]});
  }
  if (object.empty()) refuse(number, tr("no ellipsoid"));
  return object;
}

}  // namespace vsh::tomo
