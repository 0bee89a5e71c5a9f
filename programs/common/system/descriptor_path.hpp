// Paths of open descriptors.
#pragma once

#include <string>

#include "programs/common/system/descriptor.hpp"

namespace vsh::cli {

// Returns a path by which this process, or a child that has the descriptor, opens the same file again, even if its name
// leads elsewhere by now.
inline std::string path_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }
inline std::string path_of(const Descriptor& fd) { return path_of(fd.get()); }

}  // namespace vsh::cli
