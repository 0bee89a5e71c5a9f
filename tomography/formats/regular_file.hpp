// Files that are read here have a size and can be read at any place.
#pragma once

#include <string>

#include "cli/files/input_file.hpp"

namespace vsh::tomo {

// Opens a regular file. Throws Failure; does not wait for the other end of a FIFO.
cli::InputFile open_regular(const std::string& path);

}  // namespace vsh::tomo
