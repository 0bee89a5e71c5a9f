// Three stages, two bounded queues, and a fixed number of chunks that go round:
//
//        empty               filled              ciphered
//   +--> [..] --> reader --> [..] --> cipher --> [..] --> writer --+
//   +--------------------------------------------------------------+
//
// The reader and the writer have a thread each; the cipher runs on the calling thread (and on the library's,
// for chunks that are worth it). The first stage that fails aborts all queues, and its exception is what the
// caller sees.
#include "pipeline.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "bounded_queue.hpp"
#include "failure.hpp"

namespace vsh::cli {
namespace {

// Big enough that a chunk occupies several threads, small enough that the chunks in flight mostly stay in the
// last cache. Untouched memory of chunks costs nothing, so small files stay cheap.
constexpr size_t kNumChunks = 4;
constexpr size_t kChunkLen = size_t{4} << 20;
constexpr size_t kSlack = VSH_MAX_BLOCK_LEN + VSH_FINAL_CAPACITY;  // a block kept back earlier, and padding

struct Chunk {
  std::unique_ptr<uint8_t[]> in{new uint8_t[kChunkLen]};
  std::unique_ptr<uint8_t[]> out{new uint8_t[kChunkLen + kSlack]};
  size_t in_len = 0;
  size_t out_len = 0;
};

// Wakes a reader that waits for a pipe when another stage has failed.
class WakePipe {
 public:
  WakePipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
      throw Failure(ExitCode::internal, std::string("pipe: ") + std::strerror(errno));
    read_end_ = Descriptor(fds[0]);
    write_end_ = Descriptor(fds[1]);
  }
  int read_fd() const { return read_end_.get(); }
  void wake() const { (void)write_all(write_end_.get(), "x", 1); }

 private:
  Descriptor read_end_, write_end_;
};

class Pipeline {
 public:
  Pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress)
      : input_(input), cipher_(cipher), output_(output), progress_(progress) {
    for (Chunk& chunk : chunks_) empty_.push(&chunk);
  }

  CipherOutcome run() {
    CipherOutcome outcome;
    {
      const std::jthread reader([this] { guarded([this] { read_stage(); }); });
      const std::jthread writer([this] { guarded([this] { write_stage(); }); });
      outcome = cipher_stage();
      if (outcome.status != VSH_OK) stop();
    }
    if (failure_) std::rethrow_exception(failure_);
    return outcome;
  }

 private:
  template <class Stage>
  void guarded(Stage&& stage) {
    try {
      stage();
    } catch (...) {
      const std::scoped_lock lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop();
    }
  }

  void stop() {
    empty_.abort();
    filled_.abort();
    ciphered_.abort();
    wake_.wake();
  }

  // Fills a chunk, but hands over what a slow pipe has given so far rather than wait for more. False at the
  // end.
  bool fill(Chunk& chunk) {
    chunk.in_len = 0;
    while (chunk.in_len < kChunkLen && (chunk.in_len == 0 || input_.is_ready())) {
      const size_t len =
          input_.read({chunk.in.get() + chunk.in_len, kChunkLen - chunk.in_len}, wake_.read_fd());
      if (len == 0) return false;
      chunk.in_len += len;
    }
    return true;
  }

  void read_stage() {
    bool more = true;
    while (more) {
      const auto chunk = empty_.pop();
      if (!chunk) return;
      more = fill(**chunk);
      if ((*chunk)->in_len > 0 && !filled_.push(*chunk)) return;
    }
    filled_.finish();
  }

  // The end of the message needs a chunk of its own only for what `final` writes.
  CipherOutcome cipher_stage() {
    CipherOutcome outcome{VSH_OK, 0};
    while (const auto next = filled_.pop()) {
      Chunk& chunk = **next;
      outcome.bytes_in += chunk.in_len;
      outcome.status = vsh_cipher_update(cipher_, chunk.out.get(), kChunkLen + kSlack, &chunk.out_len,
                                         chunk.in.get(), chunk.in_len);
      if (outcome.status != VSH_OK || !ciphered_.push(&chunk)) return outcome;
    }
    const auto last = empty_.pop();
    if (!last) return outcome;  // another stage has failed
    Chunk& chunk = **last;
    chunk.in_len = 0;
    outcome.status = vsh_cipher_final(cipher_, chunk.out.get(), VSH_FINAL_CAPACITY, &chunk.out_len);
    if (outcome.status != VSH_OK) return outcome;
    ciphered_.push(&chunk);
    ciphered_.finish();
    return outcome;
  }

  void write_stage() {
    while (const auto next = ciphered_.pop()) {
      Chunk& chunk = **next;
      output_.write({chunk.out.get(), chunk.out_len});
      progress_.add(chunk.in_len);
      if (!empty_.push(&chunk)) return;
    }
  }

  InputFile& input_;
  vsh_cipher* cipher_;
  OutputFile& output_;
  Progress& progress_;
  std::array<Chunk, kNumChunks> chunks_;
  BoundedQueue<Chunk*> empty_{kNumChunks}, filled_{kNumChunks}, ciphered_{kNumChunks};
  WakePipe wake_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace

CipherOutcome run_pipeline(InputFile& input, vsh_cipher* cipher, OutputFile& output, Progress& progress) {
  return Pipeline(input, cipher, output, progress).run();
}

}  // namespace vsh::cli
