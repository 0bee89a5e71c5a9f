// How the HDF5 library opens files: its driver for ordinary ones, with a check instead of its way to open them.
#pragma once

#include <hdf5.h>

#include <string>

namespace vsh::tomo {

// Access to files: of those in allowed folders and below, out of which nothing may lead. Names that the library makes
// up for a file next to another one begin with that one's folder; all else that it tries is refused. Throws Failure.
hid_t hdf5_access();
void allow_hdf5_folder(const std::string& folder);  // without links, with a slash at its end

// Gives this open file, while the object lives, the name kHdf5Memory: the library wants names, which a file in memory
// does not have.
class Hdf5Memory {
 public:
  explicit Hdf5Memory(int file);
  ~Hdf5Memory();
  Hdf5Memory(const Hdf5Memory&) = delete;
  Hdf5Memory& operator=(const Hdf5Memory&) = delete;
};
inline constexpr const char* kHdf5Memory = "/";  // the library looks whether the name is that of a symbolic link

}  // namespace vsh::tomo
