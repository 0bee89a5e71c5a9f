#include "programs/vershina/files/write_behind.hpp"

#include <utility>

#include "programs/common/system/try_thread.hpp"

namespace vsh::cli {

WriteBehind::WriteBehind(Output& output, Progress& progress, const Pieces& pieces, std::function<void()> on_failure)
    : output_(output),
      progress_(progress),
      shape_(pieces),
      pieces_(pieces.num),
      empty_(pieces.num),
      filled_(pieces.num),
      on_failure_(std::move(on_failure)) {
  for (Piece& piece : pieces_) empty_.push(&piece);
  writer_ = try_thread([this] { write_all_pieces(); });
}

WriteBehind::~WriteBehind() {
  empty_.abort();
  filled_.abort();
}

std::span<uint8_t> WriteBehind::room() {
  in_use_ = empty_.pop().value_or(nullptr);
  if (!in_use_) return {};
  if (!in_use_->bytes) in_use_->bytes = make_piece(shape_.len, shape_.device);
  return {in_use_->bytes.get(), shape_.len};
}

void WriteBehind::submit(size_t len, size_t made_of) {
  in_use_->len = len;
  in_use_->made_of = made_of;
  if (writer_.joinable()) {
    filled_.push(in_use_);
  } else {
    write(*in_use_);
    empty_.push(in_use_);
  }
}

void WriteBehind::finish() {
  filled_.finish();
  if (writer_.joinable()) writer_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void WriteBehind::write(const Piece& piece) {
  output_.write({piece.bytes.get(), piece.len});
  progress_.add(piece.made_of);
}

void WriteBehind::write_all_pieces() {
  try {
    while (const auto piece = filled_.pop()) {
      write(**piece);
      empty_.push(*piece);
    }
  } catch (...) {
    failure_ = std::current_exception();
    empty_.abort();
    filled_.abort();
    on_failure_();
  }
}

}  // namespace vsh::cli
