// ChangingCipher is a block cipher whose key changes within a message: ACPKM, CryptoPro key meshing.
#pragma once

#include "core/block_engine.hpp"
#include "kuznyechik/round_keys.hpp"
#include "magma/round_keys.hpp"

namespace vsh::modes {

// Holds canonical round keys of any of the ciphers, and erases them when destroyed.
class CipherKey {
 public:
  // round_keys: of the algorithm's family; copied.
  CipherKey(Algorithm algorithm, const void* round_keys) noexcept;
  CipherKey(const CipherKey&) noexcept = default;
  CipherKey& operator=(const CipherKey&) noexcept = default;
  ~CipherKey();

  const void* round_keys() const noexcept { return &keys_; }
  // Replaces the key, 32 bytes; S-boxes stay. row: of the family; expands Kuznyechik's keys if it can.
  void change(const uint8_t* key, const BlockKernel& row) noexcept;

 private:
  Algorithm algorithm_;
  union {
    kuznyechik::RoundKeys kuznyechik;
    magma::RoundKeys magma;
  } keys_;
};

class ChangingCipher {
 public:
  // Throws std::bad_alloc only. One thread.
  ChangingCipher(const BlockChoice& kernels, const CipherKey& key);

  const CipherKey& key() const noexcept { return key_; }
  size_t block_size() const noexcept { return engine_.block_size(); }
  const BlockKernel& one() const noexcept { return engine_.one(); }
  // Returns the engine under the present key, ready for one request of so many blocks. Kernels prepare a key on first
  // use, so that a key for little data costs little.
  const BlockEngine& for_blocks(size_t num_blocks) noexcept {
    engine_.prepare_for(num_blocks, key_.round_keys());
    return engine_;
  }
  void set_key(const CipherKey& key) noexcept;
  void change_key(const uint8_t* key) noexcept;  // 32 bytes

 private:
  CipherKey key_;
  BlockEngine engine_;
};

}  // namespace vsh::modes
