// Paths of what is open.
#pragma once

#include <string>

#include "programs/common/system/descriptor.hpp"

namespace vsh::cli {

// Returns a path by which this process, and a child that has the descriptor, open again what is open here, whatever its
// name leads to meanwhile.
inline std::string path_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }
inline std::string path_of(const Descriptor& fd) { return path_of(fd.get()); }

}  // namespace vsh::cli
