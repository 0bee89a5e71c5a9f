// Which names of a tar stream stay inside the directory that it is unpacked into.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vsh::cli {

// The path of an entry without "." components and superfluous slashes, empty for the directory itself. Nothing for an
// absolute path and for one with "..", which could leave it.
std::optional<std::string> inside_path(std::string_view path);

// Whether the target of a symbolic link at `link` (as inside_path() gives it) stays inside, whatever other links it
// passes: it is relative, ".." stands only at its beginning, and not more often than `link` has directories above it.
// ("a/.." with a link `a` could lead anywhere.)
bool target_stays_inside(std::string_view link, std::string_view target);

}  // namespace vsh::cli
