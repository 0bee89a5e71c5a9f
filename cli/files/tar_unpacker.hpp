// A tar stream to files, by libarchive; what is hostile in it is refused.
#pragma once

#include <sys/types.h>

#include <string>

namespace vsh::cli {

// Reads a tar stream from a pipe into the current directory, which is new and empty. name: of the sealed file, for
// messages. outside_links: symbolic links may lead out of the directory. mask: permissions that nothing gets. Throws
// Failure: data, output; std::bad_alloc.
void unpack_tar(int pipe_fd, const std::string& name, bool outside_links, mode_t mask);

}  // namespace vsh::cli
