// Other programs that `vershina disk` starts.
#pragma once

#include <string>

#include "programs/common/system/installation.hpp"

namespace vsh::disk {

// Returns the path of nbdkit in the system's directories, or an empty text. Not by PATH, because it is given a
// passphrase.
std::string find_nbdkit();

// Looks for the plugin in this program's folder (a build tree), where it is below the same prefix, and where it was
// installed. why: as for cli::find_from_program, because it is given the passphrase, too.
cli::Installed find_plugin(std::string* why = nullptr);

}  // namespace vsh::disk
