// Removing a temporary file or directory with all that it holds, also from a signal handler.
#pragma once

namespace vsh::cli {

// Calls nothing but what is safe in a signal handler, uses a fixed amount of memory whatever the depth, follows no
// links. What other threads add meanwhile is removed too, as long as they stop soon. False where something is left.
bool remove_tree(const char* path);

}  // namespace vsh::cli
