// What is checked before work begins that would fail later: room on the disk, memory.
#pragma once

#include <cstdint>
#include <string>

namespace vsh::tomo {

// Returns the memory that this process may still take: what the system and a control group have left.
uint64_t free_memory();
// Throws a Failure if that is less than `bytes`, which `what` needs. advice: in place of another machine.
void check_memory(uint64_t bytes, const std::string& what, const std::string& advice = {});

// Lets this process take no more than `bytes` from here on, and `reserve` of address space: what goes beyond fails as
// out of memory, instead of ending other programs.
void limit_memory(uint64_t bytes, uint64_t reserve);

// Throws a Failure if a file of that many bytes cannot be made under this name: no such folder, no permission, too
// little room. Nothing is checked for what is there and is no file: standard output, devices.
void check_disk(const std::string& path, uint64_t bytes);

}  // namespace vsh::tomo
