// Finds the files of this program's installation from the program's own place: companion programs, the plugin, the
// catalogue. Others may have put files of those names there, in a folder that all may write, say.
#pragma once

#include <string>

#include "programs/common/system/descriptor_path.hpp"

namespace vsh::cli {

// A file in a folder that is open.
struct Installed {
  Descriptor folder = Descriptor();  // its constructor is explicit
  std::string name;                  // of the file, to show
  std::string path;                  // by which it is opened: through the folder's descriptor

  explicit operator bool() const { return folder.is_open(); }
  // Leaves the folder open where this process executes another program, which opens the path once more: a script's
  // interpreter, nbdkit with a plugin.
  void keep_open() const;
};

// Looks for a regular file in the folder `from_program`, a path from that of this program ("." for its own). It counts
// only if everybody who may change it, or a folder on that way, may also change or replace this program itself: they
// belong to root, this user, the owner of the program or of its folder, and others may write them only if they may
// write the program or its folder, where a sticky bit keeps them from replacing it. why, if not null, gets the reason
// why a file that exists does not count.
Installed find_from_program(const std::string& from_program, const std::string& file, std::string* why = nullptr);

// The same in a folder that was chosen when this program was built, and is not looked at.
Installed find_installed(const std::string& folder, const std::string& file);

}  // namespace vsh::cli
