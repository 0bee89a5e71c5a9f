// Formats numbers. GCC's std::to_string brings a unique global, which would tie copies of the library together
// (tests/symbols.sh).
#pragma once

#include <cstdint>
#include <string>

namespace vsh {

inline std::string decimal(int64_t number) {
  uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  std::string digits;
  do digits.insert(digits.begin(), static_cast<char>('0' + rest % 10));
  while (rest /= 10);
  return number < 0 ? "-" + digits : digits;
}

}  // namespace vsh
