#include "magma/imit_rounds.hpp"

#include <cstring>

#include "core/bytes.hpp"
#include "core/wipe.hpp"
#include "magma/one_block.hpp"

namespace vsh::magma {

ImitRounds::ImitRounds(const RoundKeys& round_keys) noexcept {
  std::memcpy(k_, round_keys.k, sizeof k_);
  NibblePolynomials boxes;
  boxes.prepare(round_keys.rows);
  std::memcpy(coefficients_, boxes.c, sizeof coefficients_);
}

ImitRounds::~ImitRounds() { wipe(this, sizeof *this); }

void ImitRounds::absorb(uint8_t state[8], const uint8_t* in, size_t num_blocks) const noexcept {
  NibblePolynomials boxes;
  std::memcpy(boxes.c, coefficients_, sizeof boxes.c);
  uint32_t n1 = load_le32(state), n2 = load_le32(state + 4);
  for (; num_blocks; --num_blocks, in += 8) {
    n1 ^= load_le32(in);
    n2 ^= load_le32(in + 4);
    for (int i = 0; i < 16; i += 2) {  // K_1 .. K_8 twice
      n2 ^= boxes.g(k_[i % 8], n1);
      n1 ^= boxes.g(k_[i % 8 + 1], n2);
    }
  }
  store_le32(state, n1);
  store_le32(state + 4, n2);
}

}  // namespace vsh::magma
