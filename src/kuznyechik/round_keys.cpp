#include "kuznyechik/round_keys.hpp"

#include "kuznyechik/one_block.hpp"

namespace vsh::kuznyechik {

void expand_key(RoundKeys& round_keys, const uint8_t* key) noexcept {
  expand_key_by(round_keys, Pair::load(key), Pair::load(key + 16),
                [](int i, Pair a1, Pair a0) VSH_LAMBDA_INLINE {
                  return lsx(Pair::load(kIterationConstants.c[i].b), a1) ^ a0;
                },
                [](uint8_t* out, Pair a) VSH_LAMBDA_INLINE { a.store(out); });
}

}  // namespace vsh::kuznyechik
