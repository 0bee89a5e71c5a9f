// Checks before work begins that would fail later: room on the disk.
#pragma once

#include <cstdint>
#include <string>

namespace vsh::tomo {

// Throws a Failure if a file of that many bytes cannot be made under this name: no such folder, no permission, too
// little room. Nothing is checked for existing names that are not files: standard output, devices.
void check_disk(const std::string& path, uint64_t bytes);

}  // namespace vsh::tomo
