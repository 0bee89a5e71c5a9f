#include "programs/vershina/files/read_ahead.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "programs/common/system/try_thread.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::cli {

ReadAhead::WakePipe::WakePipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) throw Failure(ExitCode::internal, std::string("pipe: ") + std::strerror(errno));
  read_end_ = Descriptor(fds[0]);
  write_end_ = Descriptor(fds[1]);
}

void ReadAhead::WakePipe::wake() const { (void)write_all(write_end_.get(), "x", 1); }

ReadAhead::ReadAhead(InputFile& input, const Pieces& pieces)
    : input_(input), shape_(pieces), pieces_(pieces.num), empty_(pieces.num), filled_(pieces.num) {
  for (Piece& piece : pieces_) empty_.push(&piece);
  reader_ = try_thread([this] { read_all(); });
}

ReadAhead::~ReadAhead() { cancel(); }

void ReadAhead::cancel() {
  cancelled_ = true;
  empty_.abort();
  filled_.abort();
  wake_.wake();
}

std::span<const uint8_t> ReadAhead::read_here() {
  Piece& piece = pieces_[0];
  piece.len = 0;
  if (!at_end_ && !cancelled_) at_end_ = !fill(piece);
  return {piece.bytes.get(), piece.len};
}

std::span<const uint8_t> ReadAhead::next() {
  if (!reader_.joinable()) return read_here();
  if (in_use_) empty_.push(in_use_);
  const auto piece = filled_.pop();
  in_use_ = piece.value_or(nullptr);
  if (in_use_) return {in_use_->bytes.get(), in_use_->len};
  if (!cancelled_ && failure_) std::rethrow_exception(failure_);
  return {};
}

// Fills a piece, but returns the data that a slow pipe has delivered rather than wait for more. Returns false at the
// end.
bool ReadAhead::fill(Piece& piece) {
  piece.len = 0;
  if (!piece.bytes) piece.bytes = make_piece(shape_.len, shape_.device);
  while (piece.len < shape_.len && (piece.len == 0 || input_.is_ready())) {
    const size_t len = input_.read({piece.bytes.get() + piece.len, shape_.len - piece.len}, wake_.read_fd());
    if (len == 0) return false;
    piece.len += len;
  }
  return true;
}

void ReadAhead::read_all() {
  try {
    for (bool more = true; more;) {
      const auto piece = empty_.pop();
      if (!piece) return;
      more = fill(**piece);
      if ((*piece)->len > 0 && !filled_.push(*piece)) return;
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  filled_.finish();
}

}  // namespace vsh::cli
