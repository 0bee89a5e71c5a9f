// Reading on a thread of its own, a few pieces ahead of the one that uses them, in constant memory; where there is no
// thread to be had, on that of next().
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "cli/files/bounded_queue.hpp"
#include "cli/system/descriptor.hpp"
#include "cli/files/input_file.hpp"
#include "cli/files/piece_memory.hpp"

namespace vsh::cli {

class ReadAhead {
 public:
  // Starts to read `input` to its end in pieces of up to pieces.len bytes; pieces.num >= 2 of them are there at a time.
  // Memory is made for pieces that are used, so small files stay cheap. `input` must outlive this.
  ReadAhead(InputFile& input, const Pieces& pieces);
  ~ReadAhead();  // stops the reader, also where it waits for a pipe

  // The next piece, good until the next call; empty at the end, and after cancel(). Throws what reading threw.
  std::span<const uint8_t> next();

  // Wakes who waits in next(). From any thread.
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
    PieceMemory bytes{nullptr, nullptr};  // when it is first used
    size_t len = 0;
  };

  void read_all();
  bool fill(Piece& piece);
  std::span<const uint8_t> read_here();

  InputFile& input_;
  const Pieces shape_;
  std::vector<Piece> pieces_;
  BoundedQueue<Piece*> empty_, filled_;
  Piece* in_use_ = nullptr;  // what next() gave last
  bool at_end_ = false;      // without a thread: there is no more to read
  WakePipe wake_;
  std::atomic<bool> cancelled_ = false;
  std::exception_ptr failure_;  // written by the reader before filled_ ends, read by next() after that
  std::jthread reader_;         // last: it is joined before what it uses goes
};

}  // namespace vsh::cli
