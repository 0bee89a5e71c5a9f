#include "programs/common/text/columns.hpp"

#include <algorithm>

#include "programs/common/text/text.hpp"

namespace vsh::cli {

std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& numbers) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns_of(row[i]), ' ');
      const bool to_the_right = std::find(numbers.begin(), numbers.end(), i) != numbers.end();
      line += (i == 0 ? "" : "  ") + (to_the_right ? padding + row[i] : row[i] + padding);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace vsh::cli
