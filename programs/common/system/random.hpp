// Random numbers of the operating system.
#pragma once

#include <cstdint>
#include <span>

namespace vsh::cli {

// Fills all of `out`, at most 256 bytes; waits where the system has just started. Throws Failure.
void fill_random(std::span<uint8_t> out);

}  // namespace vsh::cli
