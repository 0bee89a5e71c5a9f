// The resources of this machine for the process: memory, threads.
#pragma once

#include <cstdint>
#include <string>

namespace vsh::cli {

// Returns the memory that this process may still take: what the system and a control group have left.
uint64_t free_memory();
// Throws a Failure if that is less than `bytes`, which `what` needs. advice: instead of taking another machine.
void check_memory(uint64_t bytes, const std::string& what, const std::string& advice = {});

// Lets this process take no more than `bytes` from here on, and `reserve` of address space: requests beyond fail as
// out of memory, instead of ending other programs.
void limit_memory(uint64_t bytes, uint64_t reserve);

// The default number of threads: those this process may run on, at most 256.
unsigned default_threads();

}  // namespace vsh::cli
