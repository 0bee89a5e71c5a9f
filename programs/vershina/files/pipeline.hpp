// Concurrent reading, ciphering and writing, in constant memory.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <functional>
#include <span>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/vershina/files/piece_memory.hpp"

namespace vsh::cli {

struct CipherOutcome {
  vsh_status status;   // of the update or the final that failed, or VSH_OK
  uint64_t bytes_in;   // read so far
  uint64_t bytes_out;  // given to the output so far
};

// Returns the sizes of pieces for this input and vsh_options.device.
Pieces pieces_for(const char* device, const InputFile& input);

// Processes a piece with a context of the library. An empty piece is the end. Writes the first `len` bytes of `out`,
// which has room for the piece and the slack; len is 0 before. On failure, the bytes that it wrote may still be used.
using PipelineStep = std::function<vsh_status(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in)>;

// A block held back earlier, and padding.
inline constexpr size_t kCipherSlack = VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;

// Runs all of `input` through `step` into `output`, without committing it. slack: bytes that step() may write beyond
// the length of a piece. Throws Failure if reading or writing fails, and exceptions of step().
CipherOutcome run_pipeline(InputFile& input, const PipelineStep& step, Output& output, Progress& progress,
                           const Pieces& pieces, size_t slack = kCipherSlack);

}  // namespace vsh::cli
