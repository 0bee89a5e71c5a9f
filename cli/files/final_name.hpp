// How an output that is complete gets its final name.
#pragma once

#include <string>

namespace vsh::cli {

// "DIRECTORY.vershina-XXXXXXXX.tmp" with random digits; the directory ends with a slash. Empty, and errno, where the
// system has no random numbers.
std::string random_temporary(const std::string& directory);

// rename() that refuses to replace what somebody made meanwhile. 0 or errno.
int rename_to_new(const char* from, const char* to);

// So that a new name survives a power failure. 0 or errno; a directory that may be written but not read counts as 0.
int sync_directory(const std::string& directory);

}  // namespace vsh::cli
