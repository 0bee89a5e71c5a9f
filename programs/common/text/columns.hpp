// Text tables: words aligned left, numbers right.
#pragma once

#include <string>
#include <vector>

namespace vsh::cli {

// Returns one line for each row; columns whose index is in `numbers` are aligned right. No blanks at line ends.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& numbers);

}  // namespace vsh::cli
