// The one rule for ownership of files that are believed, run, or written to again because only this user can change
// them.
#pragma once

#include <sys/stat.h>

#include <string>

namespace vsh::cli {

// Rights that no other user may have: any, of secrets; or to write, of what all may read.
inline constexpr mode_t kAnyRight = 077, kRightToWrite = 022;

// Hard links: a file that is written must not have a second name, through which another file would be changed.
enum class Names { any, one };

// Returns why a file or folder of this status, which is that of an open descriptor, is not this user's alone: its owner
// is neither this user nor root, the group or others have one of these rights, or it has a second name. The text is
// what follows its name in a message; empty if it is this user's alone.
std::string why_not_own(const struct stat& status, mode_t rights, Names names = Names::any);

}  // namespace vsh::cli
