// A part of a sealed file: reads and verifies only the chunks that it touches.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <optional>
#include <string>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output.hpp"

namespace vsh::cli {

// Bytes of the content, from 0.
struct Range {
  uint64_t first = 0;
  std::optional<uint64_t> len;  // nothing: to the end
};

// "FIRST-LAST" (both are in it), "FIRST-", "FIRST+LENGTH". Throws Failure.
Range parse_range(const std::string& text);

// The file must be seekable. Throws Failure.
void copy_range(vsh_opener* opener, const Range& range, const InputFile& input, Output& output,
                const vsh_options& options);

}  // namespace vsh::cli
