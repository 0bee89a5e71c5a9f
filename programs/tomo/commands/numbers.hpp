// Options of this program's commands: numbers with a sign, pairs, lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/tomo/formats/elements.hpp"

namespace vsh::tomo {

// A decimal number that may have a sign. Throws a Failure outside of the bounds.
double read_signed(const std::string& option, const std::string& text, double min, double max);
cli::Option* add_signed(cli::Command& command, const std::string& names, std::optional<double>& value, double min,
                        double max, const std::string& type, const std::string& description);
cli::Option* add_positive(cli::Command& command, const std::string& names, std::optional<double>& value, double min,
                          double max, const std::string& type, const std::string& description);

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
