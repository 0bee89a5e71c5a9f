// Writes on a separate thread, a few pieces behind the producer, in constant memory; if no thread can be created, on
// that of submit().
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "programs/common/files/bounded_queue.hpp"
#include "programs/common/files/output.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/vershina/files/piece_memory.hpp"

namespace vsh::cli {

class WriteBehind {
 public:
  // Pieces of up to pieces.len bytes; pieces.num >= 2 of them exist at a time. on_failure() is called once, on the
  // writer's thread, if writing fails. `output` and `progress` must outlive this.
  WriteBehind(Output& output, Progress& progress, const Pieces& pieces, std::function<void()> on_failure);
  ~WriteBehind();  // discards the data that finish() has not waited for

  // Returns room for the next piece; empty if writing has failed. Throws std::bad_alloc.
  std::span<uint8_t> room();
  // Submits its first len bytes for writing; after that, `made_of` bytes of input count as done. Next call: room() or
  // finish(). Without a thread, throws exceptions of writing.
  void submit(size_t len, size_t made_of);
  // Waits until all is written. Rethrows the writer's exception.
  void finish();

 private:
  struct Piece {
    PieceMemory bytes{nullptr, nullptr};  // allocated on first use
    size_t len = 0, made_of = 0;
  };

  void write(const Piece& piece);
  void write_all_pieces();

  Output& output_;
  Progress& progress_;
  const Pieces shape_;
  std::vector<Piece> pieces_;
  BoundedQueue<Piece*> empty_, filled_;
  Piece* in_use_ = nullptr;  // last result of room()
  const std::function<void()> on_failure_;
  std::exception_ptr failure_;  // read after the writer is joined
  std::jthread writer_;
};

}  // namespace vsh::cli
