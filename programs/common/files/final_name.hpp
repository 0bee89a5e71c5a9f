// Gives a complete output its final name.
#pragma once

#include <string>

namespace vsh::cli {

// "DIRECTORY.vershina-XXXXXXXX.tmp" with random digits; the directory ends with a slash. Empty, with errno set, if the
// system has no random numbers.
std::string random_temporary(const std::string& directory);

// rename() that refuses to replace a file created meanwhile. Returns 0 or errno.
int rename_to_new(const char* from, const char* to);

// Gives the file that is open, whose name is `from`, the name `to`, in whose place there may only be another file if
// `replaces`. Not what somebody else has put under the name `from` meanwhile: where the file itself cannot be linked,
// ESTALE. Returns 0 or errno.
int name_file(int file, const char* from, const char* to, bool replaces);

// Makes a new name survive a power failure. Returns 0 or errno; 0 for a directory that may be written but not read.
int sync_directory(const std::string& directory);

}  // namespace vsh::cli
