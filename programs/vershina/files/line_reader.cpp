#include "programs/vershina/files/line_reader.hpp"

#include <algorithm>

namespace vsh::cli {

bool LineReader::next(std::string& line, bool& whole) {
  line.clear();
  whole = true;
  for (bool any = false;; any = true) {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = input_.read(buffer_);
      if (end_ == 0) return any;
    }
    const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto last = buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto newline = std::find(first, last, uint8_t{'\n'});
    const auto len = static_cast<size_t>(newline - first);
    const size_t room = kMaxLine - line.size();
    line.append(first, first + static_cast<std::ptrdiff_t>(std::min(len, room)));
    if (len > room) whole = false;
    begin_ += len;
    if (newline != last) {
      ++begin_;
      return true;
    }
  }
}

}  // namespace vsh::cli
