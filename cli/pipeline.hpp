// Reading, ciphering and writing at the same time, in constant memory.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>

#include "input_file.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace vsh::cli {

struct CipherOutcome {
  vsh_status status;  // of the update or the final that failed, or VSH_OK
  uint64_t bytes_in;  // read so far
};

// Ciphers `input` to its end into `output`, without committing it. Throws Failure when reading or writing
// fails.
CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress);

}  // namespace vsh::cli
