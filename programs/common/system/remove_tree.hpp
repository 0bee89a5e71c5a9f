// Removes a temporary file or directory with its content; safe in a signal handler.
#pragma once

namespace vsh::cli {

// Calls only functions that are safe in a signal handler, uses a fixed amount of memory for any depth, follows no
// links. Also removes files that other threads add during the call, as long as they stop soon. Returns false if
// something is left.
bool remove_tree(const char* path);

}  // namespace vsh::cli
