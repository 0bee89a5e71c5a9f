// Multiplication in GF(2^64) and GF(2^128), bit by bit as RFC 9058 clause 3 defines it. For tests only: its branches
// depend on its arguments.
#pragma once

#include <cstdint>
#include <vector>

namespace vsh::gf2n::reference {

// x and y: strings of 8 or 16 bytes; so is the product.
std::vector<uint8_t> multiply(const std::vector<uint8_t>& x, const std::vector<uint8_t>& y);

}  // namespace vsh::gf2n::reference
