// Files that are read here have a size and can be read at any place.
#pragma once

#include <string>
#include <utility>

#include "programs/common/files/input_file.hpp"

namespace vsh::tomo {

// A file to be read. One that the maker of a scan named is in a folder out of which nothing may lead:
// symbolic links in it lead to files in it, too, or the file is refused.
struct FileName {
  FileName(std::string path_, std::string folder_ = {}) : path(std::move(path_)), folder(std::move(folder_)) {}
  std::string path;
  std::string folder;  // empty: the user named the file
};

// Opens a regular file. Throws Failure; does not wait for the other end of a FIFO.
cli::InputFile open_regular(const FileName& file);

// Returns the name without symbolic links of a file or folder that does not lead out of its own. Throws Failure.
std::string path_inside(const FileName& file);

// Returns the name without symbolic links; empty: errno says why.
std::string real_path(const std::string& path);

}  // namespace vsh::tomo
