#include "programs/bench/setup/options.hpp"

namespace vsh::bench {

std::string format_size(size_t bytes) {
  static constexpr std::pair<const char*, int> units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (const auto& [name, shift] : units)
    if (bytes >> shift != 0 && bytes % (size_t{1} << shift) == 0) return std::to_string(bytes >> shift) + " " + name;
  return std::to_string(bytes);
}

}  // namespace vsh::bench
