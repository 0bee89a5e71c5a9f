// Key derivation functions over HMAC-Streebog-256: RFC 7836 4.4 and 4.5, R 50.1.113-2016.
#pragma once

#include "keys/hmac.hpp"

namespace vsh::keys {

inline constexpr size_t kKdfLen = 32;  // bytes of KDF_GOSTR3411_2012_256, and of each K(i)

// Returns the longest output of KDF_TREE_GOSTR3411_2012_256 with a counter of counter_len bytes, 1..4 (R of the RFC).
constexpr uint64_t kdf_tree_max_len(unsigned counter_len) noexcept {
  return kKdfLen * ((uint64_t{1} << (8 * counter_len)) - 1);
}

// out: len bytes, 1 <= len <= kdf_tree_max_len. key: HMAC of 256 bits under K_in, left ready for a new message; one key
// makes any number of trees.
void kdf_tree(Hmac& key, uint8_t* out, size_t len, unsigned counter_len, Bytes label, Bytes seed) noexcept;

// KDF_GOSTR3411_2012_256, 32 bytes: the tree with R = 1, L = 256.
inline void kdf(Hmac& key, uint8_t* out, Bytes label, Bytes seed) noexcept {
  kdf_tree(key, out, kKdfLen, 1, label, seed);
}

}  // namespace vsh::keys
