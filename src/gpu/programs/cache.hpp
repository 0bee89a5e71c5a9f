// Compiled device programs on disk, so that a device's next user need not wait for its compiler:
//     $VERSHINA_DEVICE_PROGRAMS       a folder, as a path from the root; or `off`: none
//     $XDG_CACHE_HOME/vershina/programs/NAME.program       ~/.cache where that is unset
//
// A program that a device runs on keys must be trusted: a file is used only if it and its folder belong to this user
// and no other may write them, its checksum is right and it was made for this very request. Anything else is ignored. A
// file that cannot be written is not reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vsh::gpu {

struct ProgramRequest {
  std::string device;       // ProgramMaker::identity
  std::string name;         // of the program
  std::string definitions;  // all of them
  std::string_view text;
};

inline constexpr size_t kMaxProgramLen = 32 * 1024 * 1024;      // bytes of a file
inline constexpr uint64_t kMaxProgramsLen = 256 * 1024 * 1024;  // of all; the least recently used are removed

// Returns an empty vector where there is none, or where another compiler made it; an empty `compiler` accepts any.
std::vector<uint8_t> read_program(const ProgramRequest& request, std::string_view compiler) noexcept;
void write_program(const ProgramRequest& request, std::string_view compiler, std::span<const uint8_t> binary) noexcept;

// Returns the folder, or an empty string where the cache is off.
std::string program_directory();

}  // namespace vsh::gpu
