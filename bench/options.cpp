#include "options.hpp"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace vsh::bench {
namespace {

struct Unit {
  const char* name;
  size_t bytes;
};
constexpr Unit kUnits[] = {{"", 1},           {"B", 1},        {"KiB", 1u << 10}, {"MiB", 1u << 20},
                           {"GiB", 1u << 30}, {"K", 1u << 10}, {"M", 1u << 20},   {"G", 1u << 30},
                           {"kB", 1000},      {"KB", 1000},    {"MB", 1000000},   {"GB", 1000000000}};

}  // namespace

size_t parse_size(const std::string& text) {
  size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  const std::string unit(rest, end);
  for (const Unit& u : kUnits) {
    if (error != std::errc{} || unit != u.name) continue;
    const bool fits = count <= std::numeric_limits<size_t>::max() / 4 / u.bytes;
    if (count == 0 || !fits || count * u.bytes % 8 != 0)
      throw std::invalid_argument(text + " is no usable size: it must be a positive multiple of 8 bytes");
    return count * u.bytes;
  }
  throw std::invalid_argument(text + " is no size: examples are 16, 4KiB, 64MiB, 1GiB");
}

std::string format_size(size_t bytes) {
  for (const Unit& u : {kUnits[4], kUnits[3], kUnits[2]})
    if (bytes >= u.bytes && bytes % u.bytes == 0) return std::to_string(bytes / u.bytes) + " " + u.name;
  return std::to_string(bytes);
}

}  // namespace vsh::bench
