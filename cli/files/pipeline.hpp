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

// What happens to the bytes on their way: a context of the library.
class Transform {
 public:
  virtual ~Transform() = default;
  // As much as update() writes for up to in_len bytes, whatever went before, and as final() writes.
  virtual size_t capacity(size_t in_len) const = 0;
  // Where one fails, the len bytes that it wrote may be used all the same.
  virtual vsh_status update(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) = 0;
  virtual vsh_status final(std::span<uint8_t> out, size_t& len) = 0;
};

// Transforms `input` to its end into `output`, without committing it, piece by piece. at_end: called before final(),
// may throw. Throws Failure when reading or writing fails.
CipherOutcome run_pipeline(InputFile& input, Transform& transform, Output& output, Progress& progress,
                           const Pieces& pieces, const std::function<void()>& at_end = {});

// A transform of one function: it puts the first `len` bytes of `out`, which has room for the piece and kPipelineSlack
// bytes more. An empty piece is the end.
using PipelineStep = std::function<vsh_status(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in)>;
// A block kept back earlier, and padding.
inline constexpr size_t kPipelineSlack = VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;
CipherOutcome run_pipeline(InputFile& input, const PipelineStep& step, Output& output, Progress& progress,
                           const Pieces& pieces);
// The same with a cipher.
CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, Output& output, Progress& progress,
                           const Pieces& pieces);

}  // namespace vsh::cli
