#include "kuznyechik/round_keys.hpp"

#include <utility>

#include "core/wipe.hpp"
#include "kuznyechik/one_block.hpp"

namespace vsh::kuznyechik {

// K_1 || K_2 = K; (K_(2i+1), K_(2i+2)) = F[C_8i] ... F[C_(8(i-1)+1)](K_(2i-1), K_2i), i = 1 .. 4, where
// F[k](a_1, a_0) = (LSX[k](a_1) ^ a_0, a_1).
void expand_key(RoundKeys& round_keys, const uint8_t* key) noexcept {
  static constexpr IterationConstants kC = iteration_constants();
  Wiped<Pair> a1, a0;
  *a1 = Pair::load(key);
  *a0 = Pair::load(key + 16);
  a1->store(round_keys.k[0]);
  a0->store(round_keys.k[1]);
  for (int i = 0; i < 32; ++i) {
    *a0 = *a0 ^ lsx(Pair::load(kC.c[i].b), *a1);
    std::swap(*a0, *a1);
    if (i % 8 == 7) {
      a1->store(round_keys.k[i / 4 + 1]);
      a0->store(round_keys.k[i / 4 + 2]);
    }
  }
}

}  // namespace vsh::kuznyechik
