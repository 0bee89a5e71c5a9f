// Implements the register of OFB, CBC and CFB (GOST R 34.13-2015 clauses 5.3 - 5.5), m = z * n bits long, and parallel
// decryption with it.
//
// The register holds the last m bits of a stream that starts with the IV and continues with the feedback: keystream in
// OFB, ciphertext in CBC and CFB. A mode uses its most significant n bits, MSB_n(R), and then pushes the next piece in
// from the right, R = LSB_(m-|piece|)(R) || piece. Hence z > 1 delays the feedback by z blocks: the next z blocks
// depend only on known data and go to the cipher together.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/executor.hpp"
#include "modes/blocks.hpp"

namespace vsh::modes {

class FeedbackRegister {
 public:
  FeedbackRegister() noexcept = default;
  // iv: m = 1 .. kMaxRegister blocks, size bytes.
  FeedbackRegister(const uint8_t* iv, size_t size) noexcept : size_(size) { std::memcpy(bytes_, iv, size); }

  const uint8_t* bytes() const noexcept { return bytes_; }
  size_t size() const noexcept { return size_; }

  // R = LSB_(m-len)(R) || fed_back; of more than m bytes the last m remain.
  void push(const uint8_t* fed_back, size_t len) noexcept {
    if (len == 0) return;
    if (len >= size_) {
      std::memcpy(bytes_, fed_back + (len - size_), size_);
    } else {
      std::memmove(bytes_, bytes_ + len, size_ - len);
      std::memcpy(bytes_ + (size_ - len), fed_back, len);
    }
  }

  // Replaces each block by its encryption.
  void encrypt(const BlockEngine& engine) { encrypt_few(engine, bytes_, bytes_, size_ / engine.block_size()); }

 private:
  size_t size_ = 0;
  uint8_t bytes_[kMaxRegister * kMaxBlock];
};

// Decrypts in CBC and CFB, whose feedback, the ciphertext, is known. Cuts num_units units (blocks, segments) of `unit`
// bytes into parts and calls decrypt_part(r, out, in, num_units) for each, on the engine's threads, with the register
// as it is before that part. Registers are copied before anything is written, so out == in is safe. Leaves r as it is
// after the last unit.
template <class DecryptPart>
void decrypt_parts(const BlockEngine& engine, FeedbackRegister& r, size_t unit, uint8_t* out, const uint8_t* in,
                   size_t num_units, const DecryptPart& decrypt_part) {
  constexpr size_t kMaxParts = 64;
  const size_t least = kBytesPerThread / engine.block_size();  // every unit costs a block
  if (engine.threads() == 1 || num_units / 2 < least) return decrypt_part(r, out, in, num_units);

  // Whole passes of the kernel in every part but the last.
  const size_t num_parts = std::min(kMaxParts, num_units / least);
  const size_t batch = batch_blocks(engine);
  const size_t part = (num_units / num_parts + batch) / batch * batch;
  FeedbackRegister before[kMaxParts];
  for (size_t i = 0; i < num_parts; ++i) {
    before[i] = r;
    before[i].push(in, std::min(num_units, i * part) * unit);
  }
  r.push(in, num_units * unit);
  for_ranges(num_parts, 1, engine.threads(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t first = std::min(num_units, i * part);
      const size_t num = std::min(num_units - first, part);
      decrypt_part(before[i], out + first * unit, in + first * unit, num);
    }
  });
}

// Does the same for units of one block, with devices if they take part.
template <class DecryptPart>
void decrypt_blocks(const BlockEngine& engine, Operation operation, FeedbackRegister& r, uint8_t* out,
                    const uint8_t* in, size_t num_blocks, const DecryptPart& decrypt_part) {
  const size_t n = engine.block_size();
  Accelerator* const accelerator = engine.accelerator_for(operation, num_blocks);
  if (!accelerator) return decrypt_parts(engine, r, n, out, in, num_blocks, decrypt_part);
  const FeedbackRegister start = r;
  r.push(in, num_blocks * n);
  const Accelerator::Request request{operation, out, in, num_blocks, start.bytes(), start.size() / n};
  accelerator->run(request, [&](size_t begin, size_t end, const uint8_t* before) {
    FeedbackRegister part(before, start.size());
    decrypt_parts(engine, part, n, out + begin * n, in + begin * n, end - begin, decrypt_part);
  });
}

}  // namespace vsh::modes
