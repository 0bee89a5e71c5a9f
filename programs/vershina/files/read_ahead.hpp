// Reads on a separate thread, a few pieces ahead of the consumer, in constant memory; if no thread can be created, on
// that of next().
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "programs/common/files/bounded_queue.hpp"
#include "programs/common/files/input_file.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/vershina/files/piece_memory.hpp"

namespace vsh::cli {

class ReadAhead {
 public:
  // Starts to read `input` to its end in pieces of up to pieces.len bytes; pieces.num >= 2 of them exist at a time.
  // Memory is allocated when a piece is first used, so small files stay cheap. `input` must outlive this.
  ReadAhead(InputFile& input, const Pieces& pieces);
  ~ReadAhead();  // stops the reader, even if it waits for a pipe

  // Returns the next piece, valid until the next call; empty at the end, and after cancel(). Rethrows the reader's
  // exception.
  std::span<const uint8_t> next();

  // Wakes a thread that waits in next(). Thread-safe.
  void cancel();

 private:
  // Wakes a reader that waits for a pipe.
  class WakePipe {
   public:
    WakePipe();
    int read_fd() const { return read_end_.get(); }
    void wake() const;

   private:
    Descriptor read_end_, write_end_;
  };
  struct Piece {
    PieceMemory bytes{nullptr, nullptr};  // allocated on first use
    size_t len = 0;
  };

  void read_all();
  bool fill(Piece& piece);
  std::span<const uint8_t> read_here();

  InputFile& input_;
  const Pieces shape_;
  std::vector<Piece> pieces_;
  BoundedQueue<Piece*> empty_, filled_;
  Piece* in_use_ = nullptr;  // last result of next()
  bool at_end_ = false;      // without a thread: no more to read
  WakePipe wake_;
  std::atomic<bool> cancelled_ = false;
  std::exception_ptr failure_;  // written by the reader before filled_ ends, read by next() after that
  std::jthread reader_;         // last: joined before the members that it uses are destroyed
};

}  // namespace vsh::cli
