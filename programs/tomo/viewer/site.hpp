// The files of the viewer: the page, the planes that it shows, and its numbers.
//   "", "view.css", "view.js", ...   the files of page/
//   "info"                           JSON: sizes, ranges and histograms of the stacks, words of the user's language
//   "plane/STACK/AXIS/INDEX"         little-endian float32, row by row (plane_of() in stack.hpp)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/tomo/viewer/server.hpp"
#include "programs/tomo/viewer/stack.hpp"

namespace vsh::tomo {

class Site {
 public:
  explicit Site(std::vector<Stack> stacks);

  // Safe to call from several threads.
  Server::Reply reply(std::string_view path) const;

 private:
  std::vector<Stack> stacks_;
  std::string info_;
};

}  // namespace vsh::tomo
