#include "kuznyechik/round_keys.hpp"

#include "core/kernel.hpp"
#include "core/wipe.hpp"
#include "kuznyechik/one_block.hpp"

namespace vsh::kuznyechik {
namespace {

// Stack that an expansion may leave uncleared: a few vectors and spills.
constexpr size_t kExpansionStack = 2048;

__attribute__((noinline)) void expand_portably(RoundKeys& round_keys, const uint8_t* key) {
  OneBlock<OneBlockWords, 0>::expand_key(round_keys, key);
}

}  // namespace

// Not inlined: tests/constant_time passes over it.
__attribute__((noinline)) void expand_key(RoundKeys& round_keys, const uint8_t* key) noexcept {
  expand_portably(round_keys, key);
  wipe_stack(kExpansionStack);
}

void expand_key_by(const BlockKernel* row, RoundKeys& round_keys, const uint8_t* key) noexcept {
  if (!row || !row->expand_key) return expand_key(round_keys, key);
  row->expand_key(&round_keys, key);
  wipe_stack(kExpansionStack);
}

}  // namespace vsh::kuznyechik
