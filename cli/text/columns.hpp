// Tables for people: words to the left, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace vsh::cli {

// One line for each row; columns whose index is in `numbers` are set flush right. No blanks at line ends.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& numbers);

}  // namespace vsh::cli
