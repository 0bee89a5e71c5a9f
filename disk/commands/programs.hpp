// Other programs that `vershina disk` starts.
#pragma once

#include <string>

namespace vsh::disk {

// Returns the path of nbdkit in the system's directories, or an empty text. Not by PATH, because it is given a
// passphrase.
std::string find_nbdkit();

// Returns the path of the plugin: beside this program (a build tree), or where plugins are installed. Empty: none.
std::string find_plugin();

}  // namespace vsh::disk
