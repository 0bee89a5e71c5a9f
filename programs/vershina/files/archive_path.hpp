// Checks that names of a tar stream stay inside the target directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vsh::cli {

// Returns the path of an entry without "." components and superfluous slashes, empty for the directory itself; nullopt
// for an absolute path and for one with "..", which could leave it.
std::optional<std::string> inside_path(std::string_view path);

// Returns whether the target of a symbolic link at `link` (from inside_path()) stays inside, whatever other links it
// passes: it is relative, and ".." occurs only at its beginning and not more often than `link` has directories above
// it. ("a/.." with a link `a` could lead anywhere.)
bool target_stays_inside(std::string_view link, std::string_view target);

}  // namespace vsh::cli
