#include "modes/dec.hpp"

#include "core/bytes.hpp"
#include "modes/mac.hpp"

namespace vsh::modes {
namespace {

constexpr size_t kDecBlock = 16;

struct Pair {
  Pair(uint64_t high, uint64_t low) noexcept {
    store_be64(bytes, high);
    store_be64(bytes + 8, low);
  }
  uint8_t bytes[kDecBlock];
};

// X_1 || X_2 = KDF(K, z, P), K being the engine's.
void derive(uint8_t* key, const BlockEngine& from, const Pair& z, const Pair& p) {
  Mac mac(from);
  const uint8_t* previous = z.bytes;
  for (uint8_t* x = key; x < key + Dec::kKeyLen; x += kDecBlock) {
    mac.reset();
    mac.update(previous, kDecBlock);
    mac.update(p.bytes, kDecBlock);
    mac.final(x);
    previous = x;
  }
  wipe(&mac, sizeof mac);
}

}  // namespace

void Dec::derive_partition_key(uint8_t* key, const BlockEngine& master, uint64_t partition, uint64_t counter) {
  derive(key, master, Pair(0, 0), Pair(partition, counter));
}

void Dec::process_sector(uint8_t* out, const uint8_t* in, uint64_t i, uint64_t l) {
  // ceil(l / v) with v = 2^64 / q is 0 or 1 for every l below v.
  Wiped<uint8_t[kKeyLen]> key;
  derive(key.value, partition_engine_, Pair(partition_, 0), Pair(l > 0 ? 1 : 0, i));
  cipher_.change_key(key.value);
  cipher_.for_blocks(q_).ctr(out, in, q_, Pair(i, l * q_).bytes);
}

}  // namespace vsh::modes
