// Reading, ciphering and writing at the same time, in constant memory.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <functional>
#include <span>

#include "cli/files/input_file.hpp"
#include "cli/files/output.hpp"
#include "cli/files/piece_memory.hpp"
#include "cli/system/progress.hpp"

namespace vsh::cli {

struct CipherOutcome {
  vsh_status status;  // of the update or the final that failed, or VSH_OK
  uint64_t bytes_in;  // read so far
};

// How much of the input is read at a time for this vsh_options.device.
Pieces pieces_for(const char* device, const InputFile& input);

// What happens to the bytes on their way, a piece at a time: a context of the library. An empty piece is the end.
// Writes the first `len` bytes of `out`, which has room for the piece and the slack; len is 0 before. Where it fails,
// the bytes that it wrote may be used all the same.
using PipelineStep = std::function<vsh_status(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in)>;

// A block kept back earlier, and padding.
inline constexpr size_t kCipherSlack = VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;

// Puts `input` through `step` to its end into `output`, without committing it. slack: what step() may write beyond the
// bytes of a piece. Throws Failure when reading or writing fails, and what step() throws.
CipherOutcome run_pipeline(InputFile& input, const PipelineStep& step, Output& output, Progress& progress,
                           const Pieces& pieces, size_t slack = kCipherSlack);

}  // namespace vsh::cli
