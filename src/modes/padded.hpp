// Runs ECB and CBC over a stream: cuts pieces of any size into whole blocks; adds or removes the padding.
#pragma once

#include <concepts>
#include <cstring>

#include "modes/blocks.hpp"
#include "modes/padding.hpp"
#include "modes/stream.hpp"

namespace vsh::modes {

template <class M>
concept BlockMode = std::copy_constructible<M> && requires(M& m, uint8_t* out, const uint8_t* in, size_t num_blocks) {
  m.encrypt(out, in, num_blocks);
  m.decrypt(out, in, num_blocks);
  m.skip(in, num_blocks);
  m.engine();
};

template <BlockMode Mode>
class Padded {
 public:
  Padded(const Mode& mode, Direction direction, Padding padding) noexcept
      : mode_(mode), direction_(direction), padding_(padding), n_(mode.engine().block_size()) {}

  template <class Engine>
  requires requires(Mode& mode, Engine& engine) { mode.set_engine(engine); }
  void set_engine(Engine& engine) noexcept { mode_.set_engine(engine); }

  // Returns how much update writes for in_len more bytes; SIZE_MAX on overflow.
  size_t update_len(size_t in_len) const noexcept {
    // A removable padding is in the last block, and which block is the last is known only at the end.
    const size_t blocks = in_len / n_, rest = in_len % n_ + pending_len_;
    const size_t whole = blocks + rest / n_;
    const size_t ready = holds_back() && rest % n_ == 0 && whole ? whole - 1 : whole;
    return ready > SIZE_MAX / n_ ? SIZE_MAX : ready * n_;
  }
  bool has_pending() const noexcept { return pending_len_ != 0; }

  // Writes update_len(len) bytes. out == in only if nothing is pending.
  void update(uint8_t* out, const uint8_t* in, size_t len) {
    size_t ready = update_len(len) / n_;
    if (ready && pending_len_) {
      const size_t step = n_ - pending_len_;
      std::memcpy(pending_ + pending_len_, in, step);
      process(mode_, out, pending_, 1);
      pending_len_ = 0;
      out += n_, in += step, len -= step, --ready;
    }
    if (ready) process(mode_, out, in, ready);
    keep(in + ready * n_, len - ready * n_);
  }

  // Ends the message: writes end.len bytes to `last` (room for a block; on an error its contents are invalid). Changes
  // nothing, so a caller without room may call again.
  End finish(uint8_t* last) const {
    const End end = end_by_length(pending_len_);
    if (end.verdict != End::Verdict::ok || end.len == 0) return end;
    Mode mode = mode_;
    if (direction_ == Direction::encrypt) {
      std::memcpy(last, pending_, pending_len_);
      add_padding(padding_, last, n_, pending_len_);
      process(mode, last, last, 1);
      return end;
    }
    process(mode, last, pending_, 1);
    const Unpadded unpadded = find_padding(padding_, last, n_);
    if (!unpadded.valid) return {End::Verdict::bad_padding, 0};
    return {End::Verdict::ok, unpadded.len};
  }

  // Returns how a message of these bytes ends. Decryption checks the last block first, so that nothing of a whole
  // message is released before its padding is known: `last` as in finish. Encryption ignores it.
  End end_of_message(uint8_t* last, const uint8_t* in, size_t in_len) const {
    const size_t ready = update_len(in_len);
    if (!holds_back()) return end_by_length(in_len - ready);
    Padded ahead = *this;
    ahead.mode_.skip(in, ready / n_);
    ahead.keep(in + ready, in_len - ready);
    return ahead.finish(last);
  }

 private:
  bool holds_back() const noexcept { return direction_ == Direction::decrypt && is_removable(padding_); }

  void process(Mode& mode, uint8_t* out, const uint8_t* in, size_t num_blocks) const {
    direction_ == Direction::encrypt ? mode.encrypt(out, in, num_blocks) : mode.decrypt(out, in, num_blocks);
  }

  void keep(const uint8_t* in, size_t len) noexcept {
    if (len) std::memcpy(pending_ + pending_len_, in, len);
    pending_len_ += len;
  }

  // Returns the result as far as the length decides it, with `rest` bytes in the last block; len is an upper bound if
  // padding is removed.
  End end_by_length(size_t rest) const noexcept {
    if (holds_back()) return rest == n_ ? End{End::Verdict::ok, n_} : End{End::Verdict::data_length, 0};
    const bool adds = is_removable(padding_) || (padding_ == Padding::procedure1 && rest);
    if (adds && direction_ == Direction::encrypt) return {End::Verdict::ok, n_};
    return {rest ? End::Verdict::data_length : End::Verdict::ok, 0};
  }

  Mode mode_;
  Direction direction_;
  Padding padding_;
  size_t n_;                // block size
  size_t pending_len_ = 0;  // at most a block; a whole one only if the last one is held back
  uint8_t pending_[kMaxBlock];
};

}  // namespace vsh::modes
