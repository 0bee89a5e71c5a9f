// KeyTree is shared by TLSTREE and ESPTREE: three levels of KDF_GOSTR3411_2012_256 with the labels "level1" to
// "level3".
#pragma once

#include "keys/kdf.hpp"

namespace vsh::keys {

// Holds one root key. Levels shared by the last and the next key are not computed again, so keys in order cost far less
// than three derivations each. Does not allocate; wipes itself when destroyed.
class KeyTree {
 public:
  static constexpr unsigned kLevels = 3;
  static constexpr size_t kMaxSeed = 8;

  KeyTree(const HashKernel* kernel, Bytes root) noexcept;
  ~KeyTree();
  KeyTree(const KeyTree&) = delete;
  KeyTree& operator=(const KeyTree&) = delete;

  // Returns the key for these seeds (each of the same length as before, at most kMaxSeed bytes): 32 bytes, valid until
  // the next call.
  const uint8_t* key(const Bytes (&seeds)[kLevels]) noexcept;

 private:
  Hmac kdf_[kLevels];  // under the root key and the keys of the first two levels
  uint8_t seeds_[kLevels][kMaxSeed] = {};
  uint8_t key_[kKdfLen] = {};
  unsigned valid_ = 0;  // levels whose seeds_ have been used
};

}  // namespace vsh::keys
