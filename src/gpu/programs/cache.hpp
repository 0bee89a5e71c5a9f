// Compiled device programs on disk, so that a device's next user need not wait for its compiler:
//     $VERSHINA_PROGRAMS              a folder, as a path from the root; or `off`: none
//     $XDG_CACHE_HOME/vershina/programs/NAME.program       ~/.cache where that is unset
//
// A program that a device runs on keys must be ours: a file is taken only from a folder, and of itself, that belong to
// this user and that no other may write, and only if its checksum is right and it was made for this very request.
// Anything else is as if it were not there. Nothing is said of a file that cannot be written.
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
inline constexpr uint64_t kMaxProgramsLen = 256 * 1024 * 1024;  // of all; those not used for the longest time go first

// Empty where there is none, or where it was made by another compiler; an empty `compiler` takes any's.
std::vector<uint8_t> read_program(const ProgramRequest& request, std::string_view compiler) noexcept;
void write_program(const ProgramRequest& request, std::string_view compiler, std::span<const uint8_t> binary) noexcept;

// The folder, or empty where there is to be none.
std::string program_directory();

}  // namespace vsh::gpu
