// Bits as masks, 0 or ~0: the form in which bit-sliced device programs take keys and S-boxes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::gpu {

// Each writes masks to `to` and returns their end.
inline uint32_t* write_mask(uint32_t* to, uint32_t word, unsigned bit) noexcept {
  *to = 0u - (word >> bit & 1u);
  return to + 1;
}
// Writes the lowest bit first.
inline uint32_t* write_masks(uint32_t* to, uint32_t word, unsigned bits) noexcept {
  for (unsigned bit = 0; bit < bits; ++bit) to = write_mask(to, word, bit);
  return to;
}

// Truth tables of a user's S-boxes (kernels/magma_rounds.h).
inline constexpr size_t kNumTableMasks = 8 * 4 * 16;
inline uint32_t* write_table_masks(uint32_t* to, const uint8_t (&rows)[8][16]) noexcept {
  for (const auto& row : rows)
    for (unsigned bit = 0; bit < 4; ++bit)
      for (const uint8_t value : row) to = write_mask(to, value, bit);
  return to;
}

}  // namespace vsh::gpu
