// Recognizes the content of a file or a device that is not a volume of ours.
#pragma once

#include <string>

namespace vsh::disk {

// Returns what libblkid takes the content for: "ext4", "crypto_LUKS", "gpt"; "LUKS1", for which libblkid has the name
// of LUKS2. Empty for nothing known. Throws cli::Failure if it cannot be read.
std::string known_content(int fd, const std::string& name);

}  // namespace vsh::disk
