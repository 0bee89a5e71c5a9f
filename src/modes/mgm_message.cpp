#include "modes/mgm_message.hpp"

#include <algorithm>
#include <cstring>

#include "core/wipe.hpp"
#include "gf2n/reduce.hpp"
#include "modes/blocks.hpp"

namespace vsh::modes {

// What is authenticated is laid out in blocks as the multipliers are, so that one call sums the products of up to so
// many bytes.
constexpr size_t kPiece = 2048;

// append_text(to, at, len): writes so many bytes of ciphertext, from byte `at` on.
template <class AppendText>
void MgmMessage::absorb(uint8_t* sum, const uint8_t* blocks, const uint8_t* data,
                        AppendText append_text) const noexcept {
  alignas(64) uint8_t input[kPiece + kReadBehindBlocks];  // public: associated data, ciphertext and lengths
  size_t used = 0;
  Wiped<uint64_t[gf2n::kMaxSumWords]> products;
  const auto flush = [&](size_t len) {
    (n_ == 16 ? products_.add_128 : products_.add_64)(products.value, blocks, input, len / n_);
    blocks += len, used = 0;
  };
  // append_bytes(to, at, step): the next bytes of `len`, which zeros fill up to a block (RFC 9058 clause 4.1 step 2).
  const auto append = [&](size_t len, auto append_bytes) {
    for (size_t at = 0; at < len;) {
      if (used == kPiece) flush(used);
      const size_t step = std::min(len - at, kPiece - used), whole = mgm::blocks_of(step, n_) * n_;
      append_bytes(input + used, at, step);
      std::memset(input + used + step, 0, whole - step);
      used += whole, at += step;
    }
  };
  append(data_len_, [&](uint8_t* to, size_t at, size_t step) { std::memcpy(to, data + at, step); });
  append(len_, append_text);
  if (used == kPiece) flush(used);
  mgm::write_lengths(input + used, n_, data_len_, len_);
  used += n_;
  // Whole passes of the row: zeros add nothing, whatever they are multiplied by.
  std::memset(input + used, 0, kReadBehindBlocks);
  const size_t pass = size_t{16} * products_.info.lanes;
  flush((used + pass - 1) / pass * pass);
  gf2n::reduce(sum, n_, products.value);
}

void MgmMessage::seal(uint8_t* sum, const uint8_t* blocks, const uint8_t* data, uint8_t* out,
                      const uint8_t* in) const noexcept {
  const uint8_t* const keystream = blocks + num_multipliers() * n_;
  absorb(sum, blocks, data,
         [&](uint8_t* to, size_t at, size_t step) { xor_bytes_twice(to, out + at, in + at, keystream + at, step); });
}

void MgmMessage::open(uint8_t* sum, uint8_t* blocks, const uint8_t* data, const uint8_t* in) const noexcept {
  uint8_t* const keystream = text(blocks);
  absorb(sum, blocks, data, [&](uint8_t* to, size_t at, size_t step) {
    std::memcpy(to, in + at, step);
    xor_bytes(keystream + at, keystream + at, to, step);
  });
}

}  // namespace vsh::modes
