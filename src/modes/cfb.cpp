#include "modes/cfb.hpp"

#include <algorithm>

namespace vsh::modes {

Cfb::Cfb(const BlockEngine& engine, Direction direction, const uint8_t* iv, size_t iv_len, size_t segment) noexcept
    : engine_(&engine),
      direction_(direction),
      register_(iv, iv_len),
      segment_(segment),
      ahead_(std::min((iv_len - engine.block_size()) / segment + 1, kMaxRegister)) {}

void Cfb::process(uint8_t* out, const uint8_t* in, size_t len) {
  const auto in_order = [&](size_t step) {
    process_in_order(out, in, step);
    out += step, in += step, len -= step;
  };
  if (used_) in_order(std::min(len, ahead_ * segment_ - used_));
  const bool whole_blocks = segment_ == engine_->block_size();
  if (direction_ == Direction::encrypt) {
    if (const size_t whole = len - len % (ahead_ * segment_); whole_blocks && whole) {
      encrypt_blocks(out, in, whole);
      out += whole, in += whole, len -= whole;
    }
  } else if (const size_t num = len / segment_) {
    const auto decrypt_part = [this](FeedbackRegister& r, uint8_t* o, const uint8_t* i, size_t k) {
      decrypt_segments(r, o, i, k);
    };
    whole_blocks ? decrypt_blocks(*engine_, Operation::cfb_decrypt, register_, out, in, num, decrypt_part)
                 : decrypt_parts(*engine_, register_, segment_, out, in, num, decrypt_part);
    out += num * segment_, in += num * segment_, len -= num * segment_;
  }
  in_order(len);
}

// Gathers the blocks MSB_n(R) of the next num segments. Each begins one segment further in the stream that starts with
// the register and goes on with the ciphertext; the last of them ends before the ciphertext of its own segment.
void Cfb::gather(uint8_t* blocks, const FeedbackRegister& r, const uint8_t* ciphertext, size_t num) const noexcept {
  const size_t n = engine_->block_size();
  // Copies a stretch of the stream; the register has what lies before its end.
  const auto copy = [&](uint8_t* to, size_t from, size_t len) {
    const size_t in_register = from < r.size() ? std::min(len, r.size() - from) : 0;
    std::memcpy(to, r.bytes() + std::min(from, r.size()), in_register);
    if (in_register < len)
      std::memcpy(to + in_register, ciphertext + (from + in_register - r.size()), len - in_register);
  };
  if (segment_ == n) return copy(blocks, 0, num * n);
  for (size_t i = 0; i < num; ++i) copy(blocks + i * n, i * segment_, n);
}

void Cfb::process_in_order(uint8_t* out, const uint8_t* in, size_t len) {
  const size_t n = engine_->block_size();
  while (len) {
    if (used_ == 0) {
      gather(keystream_, register_, nullptr, ahead_);
      encrypt_few(*engine_, keystream_, keystream_, ahead_);
      truncate_blocks(keystream_, ahead_, n, segment_);
    }
    const size_t step = std::min(len, ahead_ * segment_ - used_);
    if (direction_ == Direction::decrypt) std::memcpy(ciphertext_ + used_, in, step);
    xor_bytes(out, in, keystream_ + used_, step);
    if (direction_ == Direction::encrypt) std::memcpy(ciphertext_ + used_, out, step);
    out += step, in += step, len -= step, used_ += step;
    if (used_ == ahead_ * segment_) {
      register_.push(ciphertext_, used_);
      used_ = 0;
    }
  }
}

// For s = n: of whole registers.
void Cfb::encrypt_blocks(uint8_t* out, const uint8_t* in, size_t len) {
  const size_t step = ahead_ * segment_;
  const uint8_t* feedback = register_.bytes();
  for (size_t i = 0; i < len; i += step) {
    encrypt_few(*engine_, keystream_, feedback, ahead_);
    xor_bytes(out + i, in + i, keystream_, step);
    feedback = out + i;
  }
  register_.push(out, len);
}

void Cfb::decrypt_segments(FeedbackRegister& r, uint8_t* out, const uint8_t* in, size_t num_segments) const {
  const size_t n = engine_->block_size();
  const size_t batch = batch_blocks(*engine_);
  Scratch scratch;
  while (num_segments) {
    const size_t num = std::min(num_segments, batch);
    const size_t len = num * segment_;
    uint8_t* keystream = scratch.use(num * n);
    gather(keystream, r, in, num);
    r.push(in, len);
    engine_->encrypt(keystream, keystream, num);
    truncate_blocks(keystream, num, n, segment_);
    xor_bytes(out, in, keystream, len);
    out += len, in += len, num_segments -= num;
  }
}

}  // namespace vsh::modes
