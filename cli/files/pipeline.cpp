//   reader's thread        calling thread, and the library's       writer's thread
//   input --> ReadAhead --> Transform: update, final --> WriteBehind --> output
#include "cli/files/pipeline.hpp"

#include <algorithm>
#include <string_view>
#include <thread>

#include "cli/files/read_ahead.hpp"
#include "cli/files/write_behind.hpp"

namespace vsh::cli {
namespace {

class StepTransform final : public Transform {
 public:
  explicit StepTransform(const PipelineStep& step) : step_(step) {}
  size_t capacity(size_t in_len) const override { return in_len + kPipelineSlack; }
  vsh_status update(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) override {
    return step_(out, len, in);
  }
  vsh_status final(std::span<uint8_t> out, size_t& len) override { return step_(out, len, {}); }

 private:
  const PipelineStep& step_;
};

}  // namespace

// Big enough that a piece occupies every thread twice, small enough that the pieces in flight stay in the last cache:
// on four threads and fewer 1 MiB, which was faster than 4 MiB by a fifth where the file is in memory.
//
// For a device each piece is one request, at whose beginning and end its bus has nothing to do for some 0.1 ms. 32 MiB
// take 0.6 ms each way on the fastest bus, but several to be read and written, also where the file is in memory. That
// is what bounds a file, so longer pieces would only lock more memory. On each side of the library one is read or
// written, one worked on, one waits.
Pieces pieces_for(const char* device, const InputFile& input) {
  if (!device || std::string_view(device) == "cpu")
    return {4, (size_t{256} << 10) * std::clamp(std::thread::hardware_concurrency(), 4u, 32u)};
  constexpr uint64_t kLeast = uint64_t{1} << 20, kMost = uint64_t{32} << 20;
  const uint64_t wanted = input.remaining_at_open().value_or(kMost);
  return {3, static_cast<size_t>(std::clamp(wanted, kLeast, kMost)), device};
}

CipherOutcome run_pipeline(InputFile& input, Transform& transform, Output& output, Progress& progress,
                           const Pieces& pieces, const std::function<void()>& at_end) {
  ReadAhead reader(input, pieces);
  const Pieces room = {pieces.num, transform.capacity(pieces.len), pieces.device};
  WriteBehind writer(output, progress, room, [&] { reader.cancel(); });
  CipherOutcome outcome{VSH_OK, 0};
  for (bool more = true; more;) {
    const std::span<const uint8_t> in = reader.next();
    const std::span<uint8_t> out = writer.room();
    if (out.empty()) break;  // finish() throws why
    more = !in.empty();
    outcome.bytes_in += in.size();
    size_t len = 0;
    if (!more && at_end) at_end();
    outcome.status = more ? transform.update(out, len, in) : transform.final(out, len);
    if (outcome.status != VSH_OK) more = false;
    writer.submit(len, in.size());
  }
  writer.finish();
  return outcome;
}

CipherOutcome run_pipeline(InputFile& input, const PipelineStep& step, Output& output, Progress& progress,
                           const Pieces& pieces) {
  StepTransform transform(step);
  return run_pipeline(input, transform, output, progress, pieces);
}

CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, Output& output, Progress& progress,
                           const Pieces& pieces) {
  const PipelineStep step = [cipher](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
    return in.empty() ? vsh_cipher_final(cipher, out.data(), out.size(), &len)
                      : vsh_cipher_update(cipher, out.data(), out.size(), &len, in.data(), in.size());
  };
  return run_pipeline(input, step, output, progress, pieces);
}

}  // namespace vsh::cli
