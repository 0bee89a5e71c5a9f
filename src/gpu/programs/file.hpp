// Format of a file of the program cache:
//
//     bytes  content
//        19  "vershina-program 1\n"
//        32  Streebog-256 of all that follows
//         4  length of the compiler's name; little-endian, as all numbers
//            its name
//         4  length of the request
//            the request: device, program, definitions, Streebog-256 of the text, version of the library
//            the program in the format of the device's driver
//
// The checksum detects damage, not an attacker; the file's owner is checked for that (cache.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/programs/cache.hpp"

namespace vsh::gpu {

// None where no checksum can be computed (a VERSHINA_KERNEL that cannot be used).
struct ProgramFile {
  std::string name;     // "0f3a….program", by the request
  std::string request;  // as in the file
};
std::optional<ProgramFile> program_file(const ProgramRequest& request);

std::vector<uint8_t> format_program(const ProgramFile& file, std::string_view compiler,
                                    std::span<const uint8_t> binary);

// Returns the program; empty unless `content` is the whole output of format_program for this request, and of this
// compiler where one is named.
std::span<const uint8_t> parse_program(std::span<const uint8_t> content, const ProgramFile& file,
                                       std::string_view compiler);

}  // namespace vsh::gpu
