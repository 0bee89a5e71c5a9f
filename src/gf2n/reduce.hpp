// Reduces a sum of products (core/kernel.hpp) to an element of GF(2^64) or GF(2^128) (RFC 9058 clause 3).
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::gf2n {

inline constexpr size_t kMaxSumWords = 4;

// Writes sum modulo w^128 + w^7 + w^2 + w + 1, or w^64 + w^4 + w^3 + w + 1, as a block of size 16 or 8 bytes. No branch
// or address depends on the sum.
void reduce(uint8_t* block, size_t size, const uint64_t* sum) noexcept;

}  // namespace vsh::gf2n
