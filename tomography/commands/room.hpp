// What is checked before work begins that would fail later: room on the disk, memory.
#pragma once

#include <cstdint>
#include <string>

namespace vsh::tomo {

// Returns the memory that this process may still take: what the system and a control group have left.
uint64_t free_memory();
// Throws a Failure if that is less than `bytes`, which `what` needs.
void check_memory(uint64_t bytes, const std::string& what);

// Throws a Failure if a file of that many bytes cannot be made under this name: no such folder, no permission, too little
// room. Nothing is checked for what is there and is no file: standard output, devices.
void check_disk(const std::string& path, uint64_t bytes);

}  // namespace vsh::tomo
