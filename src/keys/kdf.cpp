#include "keys/kdf.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "core/bytes.hpp"
#include "core/wipe.hpp"

namespace vsh::keys {

// K(i) = HMAC(K_in, [i]_b | label | 0x00 | seed | [L]_b), i = 1, 2, ...; [L]_b is the length in bits without leading
// zero bytes.
void kdf_tree(Hmac& key, uint8_t* out, size_t len, unsigned counter_len, Bytes label, Bytes seed) noexcept {
  assert(key.size() == kKdfLen && counter_len >= 1 && counter_len <= 4);
  assert(len >= 1 && len <= kdf_tree_max_len(counter_len));
  uint8_t length[8], counter[8];
  const uint64_t bits = uint64_t{len} * 8;
  store_be64(length, bits);
  const size_t leading_zeros = static_cast<size_t>(std::countl_zero(bits)) / 8;
  Wiped<uint8_t[kKdfLen]> k;
  for (uint64_t i = 1; len > 0; ++i) {
    store_be64(counter, i);
    key.reset();
    key.update(counter + (sizeof counter - counter_len), counter_len);
    key.update(label);
    key.update(0);
    key.update(seed);
    key.update(length + leading_zeros, sizeof length - leading_zeros);
    key.final(k.value);
    const size_t take = std::min(len, kKdfLen);
    std::memcpy(out, k.value, take);
    out += take;
    len -= take;
  }
  key.reset();
}

}  // namespace vsh::keys
