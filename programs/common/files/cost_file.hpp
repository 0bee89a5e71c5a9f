// Files of measured costs, which the library reads (src/core/cost_file.hpp).
#pragma once

#include <string>

namespace vsh::cli {

// Throws a Failure if the file may not be written: there is no path, which `why` explains; it is a link, or not a
// regular file; or root, possibly with another user's HOME, would write where that user can change the path.
void check_cost_file(const std::string& path, const std::string& why);

// Writes it anew: the library reads only files that belong to the user and that no other may write.
void write_cost_file(const std::string& path, const std::string& text);

// Removes it, unless there is none.
void remove_cost_file(const std::string& path, const std::string& why);

}  // namespace vsh::cli
