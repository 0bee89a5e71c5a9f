// Files of ellipsoids.
#pragma once

#include <string>

#include "programs/common/phantom/ellipsoids.hpp"

namespace vsh::tomo {

// Lines of the eight numbers of an Ellipsoid, in its order, "#" begins a comment. Throws Failure.
Object read_object(const std::string& path);

}  // namespace vsh::tomo
