//   reader's thread        calling thread, and the library's       writer's thread
//   input --> ReadAhead --> vsh_cipher_update, vsh_cipher_final --> WriteBehind --> output
#include "pipeline.hpp"

#include "read_ahead.hpp"
#include "write_behind.hpp"

namespace vsh::cli {
namespace {

// Big enough that a piece occupies several threads, small enough that the pieces in flight mostly stay in the last cache.
constexpr size_t kNumPieces = 4;
constexpr size_t kPieceLen = size_t{4} << 20;
constexpr size_t kSlack = VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;  // a block kept back earlier, and padding

}  // namespace

CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress) {
  ReadAhead reader(input, kNumPieces, kPieceLen);
  WriteBehind writer(output, progress, kNumPieces, kPieceLen + kSlack, [&] { reader.cancel(); });
  CipherOutcome outcome{VSH_OK, 0};
  for (bool more = true; more;) {
    const std::span<const uint8_t> in = reader.next();
    const std::span<uint8_t> out = writer.room();
    if (out.empty()) break;  // finish() throws why
    more = !in.empty();
    outcome.bytes_in += in.size();
    size_t len = 0;
    outcome.status = more ? vsh_cipher_update(cipher, out.data(), out.size(), &len, in.data(), in.size())
                          : vsh_cipher_final(cipher, out.data(), out.size(), &len);
    if (outcome.status != VSH_OK) return outcome;
    writer.submit(len, in.size());
  }
  writer.finish();
  return outcome;
}

}  // namespace vsh::cli
