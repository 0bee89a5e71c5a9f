//   reader's thread        calling thread, and the library's       writer's thread
//   input --> ReadAhead --> PipelineStep --> WriteBehind --> output
#include "programs/vershina/files/pipeline.hpp"

#include <algorithm>
#include <string_view>
#include <thread>

#include "programs/vershina/files/read_ahead.hpp"
#include "programs/vershina/files/write_behind.hpp"

namespace vsh::cli {
// Large enough that a piece occupies every thread twice, small enough that the pieces in flight stay in the last-level
// cache: on four threads and fewer 1 MiB, which was faster than 4 MiB by a fifth where the file is in memory.
//
// For a device each piece is one request, and the bus is idle for about 0.1 ms at its beginning and end. 32 MiB take
// 0.6 ms each way on the fastest bus, but several to read and write, even if the file is in memory. That is the bound
// for files, so longer pieces would only lock more memory. On each side of the library one piece is read or written,
// one processed, one waits.
Pieces pieces_for(const char* device, const InputFile& input) {
  if (!device || std::string_view(device) == "cpu")
    return {4, (size_t{256} << 10) * std::clamp(std::thread::hardware_concurrency(), 4u, 32u)};
  constexpr uint64_t kLeast = uint64_t{1} << 20, kMost = uint64_t{32} << 20;
  const uint64_t wanted = input.remaining_at_open().value_or(kMost);
  return {3, static_cast<size_t>(std::clamp(wanted, kLeast, kMost)), device};
}

CipherOutcome run_pipeline(InputFile& input, const PipelineStep& step, Output& output, Progress& progress,
                           const Pieces& pieces, size_t slack) {
  ReadAhead reader(input, pieces);
  const Pieces room = {pieces.num, pieces.len + slack, pieces.device};
  WriteBehind writer(output, progress, room, [&] { reader.cancel(); });
  CipherOutcome outcome{VSH_OK, 0, 0};
  for (bool more = true; more;) {
    const std::span<const uint8_t> in = reader.next();
    const std::span<uint8_t> out = writer.room();
    if (out.empty()) break;  // finish() throws the failure
    outcome.bytes_in += in.size();
    size_t len = 0;
    outcome.status = step(out, len, in);
    more = !in.empty() && outcome.status == VSH_OK;
    outcome.bytes_out += len;
    writer.submit(len, in.size());
  }
  writer.finish();
  return outcome;
}

}  // namespace vsh::cli
