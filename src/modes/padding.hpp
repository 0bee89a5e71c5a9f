// Paddings of a message up to whole blocks, GOST R 34.13-2015 clause 4.1 and RFC 5652 clause 6.3.
// (Procedure 3 is only for MAC.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::modes {

enum class Padding {
  none,        // the message is whole blocks
  procedure1,  // 4.1.1: zeros, if the last block is not whole; what was added cannot be told afterwards
  procedure2,  // 4.1.2: a bit 1 and zeros, always
  pkcs7,       // RFC 5652: b bytes of value b, always
};

// Returns whether decryption removes what was added; then a message has at least one block.
constexpr bool is_removable(Padding p) noexcept { return p == Padding::procedure2 || p == Padding::pkcs7; }

// Fills block[len .. block_size), len < block_size.
void add_padding(Padding p, uint8_t* block, size_t block_size, size_t len) noexcept;

// Contents of a last block: bytes before the padding, or valid == false for an impossible padding.
struct Unpadded {
  size_t len;
  bool valid;
};

// For removable paddings. Examines every byte in any case: neither branch nor address depends on the block. The result
// tells a decrypting party's peer whether the padding was right, as every padding does: whether to reveal it is the
// caller's decision (VSH_E_BAD_PADDING).
Unpadded find_padding(Padding p, const uint8_t* block, size_t block_size) noexcept;

}  // namespace vsh::modes
