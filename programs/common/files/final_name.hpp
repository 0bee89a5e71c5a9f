// Gives a complete output its final name.
#pragma once

#include <string>

namespace vsh::cli {

// "DIRECTORY.vershina-XXXXXXXX.tmp" with random digits; the directory ends with a slash. Empty, with errno set, if the
// system has no random numbers.
std::string random_temporary(const std::string& directory);

// rename() that refuses to replace a file. Returns 0 or errno.
int rename_to_new(const char* from, const char* to);

// Gives the open `file`, whose name is `from`, the name `to`, which may exist only if `replaces`. If another file has
// taken the name `from` by now, and the open one cannot be linked itself, the result is ESTALE. Returns 0 or errno.
int name_file(int file, const char* from, const char* to, bool replaces);

// Makes a new name survive a power failure. Returns 0 or errno; 0 for a directory that may be written but not read.
int sync_directory(const std::string& directory);

}  // namespace vsh::cli
