// DEC, R 1323565.1.042-2022: encryption of disk sectors by a counter of their rewritings. Experimental: written without
// access to the document, after bcm-lib (docs/sectors.md lists where others differ).
#pragma once

#include "modes/changing_cipher.hpp"

namespace vsh::modes {

// A partition j under its counter l_j has the key K_j = KDF(K, 0, j || l_j); its sector i, written for the l-th time,
// has K_ji = KDF(K_j, j || 0, [l > 0] || i) and the keystream E(K_ji, i || (l * q + t)), t = 0 .. q - 1, where a sector
// has q blocks. Numbers have half a block, most significant byte first. KDF(K, z, P) = X_1 || X_2 with X_1 = MAC(K, z
// || P), X_2 = MAC(K, X_1 || P), the second stage of R 1323565.1.022-2018 without its optional fields.
class Dec {
 public:
  static constexpr size_t kKeyLen = 32;

  // K_j. master: keyed with K.
  static void derive_partition_key(uint8_t* key, const BlockEngine& master, uint64_t partition, uint64_t counter);

  // partition_engine: keyed with K_j; must outlive this. sector_blocks: a power of two, 2 at least.
  Dec(const BlockEngine& partition_engine, const BlockChoice& kernels, uint64_t partition, size_t sector_blocks)
      : partition_engine_(partition_engine),
        cipher_(kernels, keys::CipherKey(Algorithm::kuznyechik)),
        partition_(partition),
        q_(sector_blocks) {}

  // From this counter on the keystream would repeat: l * q + t has 64 bits.
  uint64_t end_of_counters() const noexcept { return UINT64_MAX / q_ + 1; }

  // Encrypts or decrypts sector i with its counter l < end_of_counters(). out == in allowed.
  void process_sector(uint8_t* out, const uint8_t* in, uint64_t i, uint64_t l);

 private:
  const BlockEngine& partition_engine_;
  ChangingCipher cipher_;
  uint64_t partition_;
  size_t q_;
};

}  // namespace vsh::modes
