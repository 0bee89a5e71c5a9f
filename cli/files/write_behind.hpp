// Writing on a thread of its own, a few pieces behind the one that makes them, in constant memory; where there is no
// thread to be had, on that of submit().
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "cli/files/bounded_queue.hpp"
#include "cli/files/output.hpp"
#include "cli/files/piece_memory.hpp"
#include "cli/system/progress.hpp"

namespace vsh::cli {

class WriteBehind {
 public:
  // Pieces of up to pieces.len bytes; pieces.num >= 2 of them are there at a time. on_failure() is called once, on the
  // writer's thread, when writing has failed. `output` and `progress` must outlive this.
  WriteBehind(Output& output, Progress& progress, const Pieces& pieces, std::function<void()> on_failure);
  ~WriteBehind();  // gives up what finish() has not waited for

  // Room for the next piece; empty when writing has failed. Throws std::bad_alloc.
  std::span<uint8_t> room();
  // Its first len bytes are to be written; then `made_of` bytes of input count as done. Next comes room() or finish().
  // Without a thread, throws what writing throws.
  void submit(size_t len, size_t made_of);
  // Waits until all is written. Throws what writing threw.
  void finish();

 private:
  struct Piece {
    PieceMemory bytes{nullptr, nullptr};  // when it is first used
    size_t len = 0, made_of = 0;
  };

  void write(const Piece& piece);
  void write_all_pieces();

  Output& output_;
  Progress& progress_;
  const Pieces shape_;
  std::vector<Piece> pieces_;
  BoundedQueue<Piece*> empty_, filled_;
  Piece* in_use_ = nullptr;  // what room() gave last
  const std::function<void()> on_failure_;
  std::exception_ptr failure_;  // read when the writer has been joined
  std::jthread writer_;
};

}  // namespace vsh::cli
