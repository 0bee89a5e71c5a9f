//   reader's thread        calling thread, and the library's       writer's thread
//   input --> ReadAhead --> Transform: update, final --> WriteBehind --> output
#include "pipeline.hpp"

#include <algorithm>
#include <thread>

#include "read_ahead.hpp"
#include "write_behind.hpp"

namespace vsh::cli {
namespace {

constexpr size_t kNumPieces = 4;

// Big enough that a piece occupies every thread twice, small enough that the pieces in flight stay in the last cache: on
// four threads and fewer 1 MiB, which was faster than 4 MiB by a fifth where the file is in memory.
size_t piece_len() { return (size_t{256} << 10) * std::clamp(std::thread::hardware_concurrency(), 4u, 32u); }

class Cipher : public Transform {
 public:
  explicit Cipher(vsh_cipher* cipher) : cipher_(cipher) {}
  size_t capacity(size_t in_len) const override {
    return in_len + VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;  // a block kept back earlier, and padding
  }
  vsh_status update(std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) override {
    return vsh_cipher_update(cipher_, out.data(), out.size(), &len, in.data(), in.size());
  }
  vsh_status final(std::span<uint8_t> out, size_t& len) override {
    return vsh_cipher_final(cipher_, out.data(), out.size(), &len);
  }

 private:
  vsh_cipher* cipher_;
};

}  // namespace

CipherOutcome run_pipeline(InputFile& input, Transform& transform, OutputFile& output, Progress& progress,
                           const std::function<void()>& at_end) {
  const size_t len_in = piece_len();
  ReadAhead reader(input, kNumPieces, len_in);
  WriteBehind writer(output, progress, kNumPieces, transform.capacity(len_in), [&] { reader.cancel(); });
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

CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress) {
  Cipher transform(cipher);
  return run_pipeline(input, transform, output, progress);
}

}  // namespace vsh::cli
