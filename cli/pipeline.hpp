// Reading, ciphering and writing at the same time, in constant memory.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <functional>
#include <span>

#include "input_file.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace vsh::cli {

struct CipherOutcome {
  vsh_status status;  // of the update or the final that failed, or VSH_OK
  uint64_t bytes_in;  // read so far
};

// How many bytes are read at a time.
size_t piece_len();

// What is done with a piece of input: puts the `len` first bytes of `out`, which has room for the piece and kPipelineSlack
// bytes more. An empty piece is the end.
using PipelineStep = std::function<vsh_status(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in)>;
inline constexpr size_t kPipelineSlack = VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;  // a block kept back earlier, and padding

// Takes `input` to its end through the step into `output`, without committing it. Throws Failure when reading or writing
// fails.
CipherOutcome run_pipeline(InputFile& input, const PipelineStep& step, OutputFile& output, Progress& progress);
// The step being a cipher's.
CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress);

}  // namespace vsh::cli
