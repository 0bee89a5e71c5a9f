#include "modes/cbc.hpp"

#include <algorithm>

namespace vsh::modes {

Cbc::Cbc(const BlockEngine& engine, const uint8_t* iv, size_t iv_len) noexcept
    : engine_(&engine), register_(iv, iv_len) {}

void Cbc::encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) {
  const size_t n = engine_->block_size();
  const size_t z = register_.size() / n, len = num_blocks * n;
  const uint8_t* feedback = register_.bytes();  // of the z blocks from here on
  while (num_blocks) {
    const size_t num = std::min(num_blocks, z);
    xor_bytes(out, in, feedback, num * n);
    encrypt_few(*engine_, out, out, num);
    feedback = out;
    out += num * n, in += num * n, num_blocks -= num;
  }
  register_.push(out - len, len);
}

void Cbc::decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) {
  decrypt_blocks(*engine_, Operation::cbc_decrypt, register_, out, in, num_blocks,
                 [this](FeedbackRegister& r, uint8_t* o, const uint8_t* i, size_t num) { decrypt_part(r, o, i, num); });
}

void Cbc::skip(const uint8_t* ciphertext, size_t num_blocks) noexcept {
  register_.push(ciphertext, num_blocks * engine_->block_size());
}

void Cbc::decrypt_part(FeedbackRegister& r, uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  const size_t n = engine_->block_size();
  const size_t batch = batch_blocks(*engine_);
  Scratch scratch;
  while (num_blocks) {
    const size_t num = std::min(num_blocks, batch);
    const size_t len = num * n;
    const size_t from_register = std::min(len, r.size());
    uint8_t* plaintext = scratch.use(len);
    engine_->decrypt(plaintext, in, num);
    xor_bytes(plaintext, plaintext, r.bytes(), from_register);
    xor_bytes(plaintext + from_register, plaintext + from_register, in, len - from_register);
    r.push(in, len);
    std::memcpy(out, plaintext, len);  // last, because in place this overwrites the ciphertext
    out += len, in += len, num_blocks -= num;
  }
}

}  // namespace vsh::modes
