// Reading, ciphering and writing at the same time, in constant memory.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <span>

#include "input_file.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace vsh::cli {

struct CipherOutcome {
  vsh_status status;  // of the update or the final that failed, or VSH_OK
  uint64_t bytes_in;  // read so far
};

// What turns the pieces that are read into those that are written.
class Transform {
 public:
  virtual ~Transform() = default;
  // The most that one call writes beyond the length of its input.
  virtual size_t slack() const = 0;
  virtual vsh_status update(std::span<uint8_t> out, size_t& out_len, std::span<const uint8_t> in) = 0;
  virtual vsh_status final(std::span<uint8_t> out, size_t& out_len) = 0;
};

// Sends `input` to its end through `transform` into `output`, without committing it. Throws Failure when reading or
// writing fails.
CipherOutcome run_pipeline(InputFile& input, Transform& transform, OutputFile& output, Progress& progress);
// The same through a cipher's context.
CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress);

}  // namespace vsh::cli
