// Permissions of the files that secrets are read from.
#pragma once

#include <string>

#include "programs/common/files/output_file.hpp"

namespace vsh::cli {

enum class SecretKind { key, passphrase };

// Prints a note if the group or others may read the file, once for each file. typed: its name on the command line; only
// regular files with a name of their own are checked, for descriptors and pipes were opened by another program.
void warn_of_readers(const std::string& typed, const ReadFile& file, SecretKind kind);

}  // namespace vsh::cli
