// Kuznyechik as written in the standard; slow, not constant-time, for tests only.
#pragma once

#include <array>
#include <cstdint>

namespace vsh::kuznyechik::reference {

// a[0] is a_15, the first byte of the text.
using Block = std::array<uint8_t, 16>;

// GOST R 34.12-2015 clause 4.1: transformations.
uint8_t l(const Block& a);
Block X(const Block& k, const Block& a);
Block S(const Block& a);
Block S_inverse(const Block& a);
Block R(const Block& a);
Block R_inverse(const Block& a);
Block L(Block a);
Block L_inverse(Block a);

// Clause 4.3. round_keys[0] is K_1.
std::array<Block, 10> key_schedule(const std::array<uint8_t, 32>& key);

// Clause 4.4.
Block E(const std::array<Block, 10>& round_keys, Block a);
Block D(const std::array<Block, 10>& round_keys, Block a);

}  // namespace vsh::kuznyechik::reference
