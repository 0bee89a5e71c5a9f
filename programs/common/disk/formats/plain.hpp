// Plain volumes: sectors without a header, as `cryptsetup open --type plain` has them.
#pragma once

#include <cstdint>
#include <string>

#include "programs/common/disk/volume/volume.hpp"

namespace vsh::disk {

// Reads 64 bytes, or 128 hexadecimal digits with at most one newline. Throws cli::Failure.
void read_plain_key(VolumeKey& key, const std::string& path);

// Returns the layout of a plain volume. size: 0 for all from the offset on. Throws cli::Failure.
Layout plain_layout(Layout wanted, uint64_t store_size, const std::string& whose);

}  // namespace vsh::disk
