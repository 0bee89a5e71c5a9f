// Whose a file is that the library reads by itself: measured costs, compiled device programs. Programs, which see only
// the public headers, have the same rule in programs/common/system/own_file.hpp.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace vsh {

// Returns whether a file or folder of this status, which is that of an open descriptor, belongs to this user or to
// root, and no other user may write it.
inline bool is_own(const struct stat& status) noexcept {
  return (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace vsh
