// Unpacks a tar stream to files with libarchive; refuses hostile content.
#pragma once

#include <sys/types.h>

#include <string>

namespace vsh::cli {

// Reads a tar stream from a pipe into the current directory, which is new and empty. name: of the sealed file, for
// messages. outside_links: symbolic links may lead out of the directory. mask: permissions that no file gets. Throws
// Failure: data, output; std::bad_alloc.
void unpack_tar(int pipe_fd, const std::string& name, bool outside_links, mode_t mask);

}  // namespace vsh::cli
