#include "modes/cfb.hpp"

namespace vsh::modes {

Cfb::Cfb(const BlockEngine& engine, Direction direction, const uint8_t* iv, size_t iv_len, size_t segment) noexcept
    : engine_(engine),
      direction_(direction),
      register_(iv, iv_len),
      segment_(segment),
      ahead_(std::min((iv_len - engine.block_size()) / segment + 1, kMaxRegister)) {}

void Cfb::process(uint8_t* out, const uint8_t* in, size_t len) {
  if (direction_ == Direction::encrypt) return process_in_order(out, in, len);

  const auto in_order = [&](size_t step) {
    process_in_order(out, in, step);
    out += step, in += step, len -= step;
  };
  if (used_) in_order(std::min(len, ahead_ * segment_ - used_));
  if (const size_t num = len / segment_) {
    decrypt_parts(engine_, register_, segment_, out, in, num,
                  [this](FeedbackRegister& r, uint8_t* o, const uint8_t* i, size_t k) { decrypt_segments(r, o, i, k); });
    out += num * segment_, in += num * segment_, len -= num * segment_;
  }
  in_order(len);
}

// The register's stream, read with a stride of one segment: MSB_n(R_1), MSB_n(R_2), ...
void Cfb::gather(uint8_t* blocks, const uint8_t* stream, size_t num) const noexcept {
  const size_t n = engine_.block_size();
  for (size_t i = 0; i < num; ++i) std::memcpy(blocks + i * n, stream + i * segment_, n);
}

void Cfb::process_in_order(uint8_t* out, const uint8_t* in, size_t len) {
  const size_t n = engine_.block_size();
  while (len) {
    if (used_ == 0) {
      gather(gamma_, register_.bytes(), ahead_);
      encrypt_few(engine_, gamma_, gamma_, ahead_);
      truncate_blocks(gamma_, ahead_, n, segment_);
    }
    const size_t step = std::min(len, ahead_ * segment_ - used_);
    if (direction_ == Direction::decrypt) std::memcpy(ciphertext_ + used_, in, step);
    xor_bytes(out, in, gamma_ + used_, step);
    if (direction_ == Direction::encrypt) std::memcpy(ciphertext_ + used_, out, step);
    out += step, in += step, len -= step, used_ += step;
    if (used_ == ahead_ * segment_) {
      register_.push(ciphertext_, used_);
      used_ = 0;
    }
  }
}

void Cfb::decrypt_segments(FeedbackRegister& r, uint8_t* out, const uint8_t* in, size_t num_segments) const {
  const size_t n = engine_.block_size();
  const size_t batch = batch_blocks(engine_);
  uint8_t stream[kMaxRegister * kMaxBlock + Scratch::kSize];  // public: IV and ciphertext
  Scratch scratch;
  while (num_segments) {
    const size_t num = std::min(num_segments, batch);
    const size_t len = num * segment_;
    std::memcpy(stream, r.bytes(), r.size());
    std::memcpy(stream + r.size(), in, len);
    r.push(in, len);
    uint8_t* gamma = scratch.use(num * n);
    gather(gamma, stream, num);
    engine_.encrypt(gamma, gamma, num);
    truncate_blocks(gamma, num, n, segment_);
    xor_bytes(out, in, gamma, len);
    out += len, in += len, num_segments -= num;
  }
}

}  // namespace vsh::modes
