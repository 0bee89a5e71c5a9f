#include "kuznyechik/round_keys.hpp"

#include "core/kernel.hpp"
#include "core/wipe.hpp"
#include "kuznyechik/one_block.hpp"

namespace vsh::kuznyechik {
namespace {

// What an expansion may leave on the stack: a few vectors.
constexpr size_t kExpansionStack = 2048;

}  // namespace

void expand_key(RoundKeys& round_keys, const uint8_t* key) noexcept {
  expand_key_by(round_keys, Pair::load(key), Pair::load(key + 16),
                [](int i, Pair a1, Pair a0) VSH_LAMBDA_INLINE {
                  return lsx(Pair::load(kIterationConstants.c[i].b), a1) ^ a0;
                },
                [](uint8_t* out, Pair a) VSH_LAMBDA_INLINE { a.store(out); });
}

void expand_key_on(const BlockKernel* row, RoundKeys& round_keys, const uint8_t* key) noexcept {
  if (row && row->expand_key) row->expand_key(&round_keys, key);
  else expand_key(round_keys, key);
  wipe_stack(kExpansionStack);
}

}  // namespace vsh::kuznyechik
