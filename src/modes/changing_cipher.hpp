// ChangingCipher is a block cipher whose key changes within a message: ACPKM, CryptoPro key meshing.
#pragma once

#include "core/block_engine.hpp"
#include "keys/cipher_key.hpp"

namespace vsh::modes {

class ChangingCipher {
 public:
  // Throws std::bad_alloc only. One thread.
  ChangingCipher(const BlockChoice& kernels, const keys::CipherKey& key);

  const keys::CipherKey& key() const noexcept { return key_; }
  size_t block_size() const noexcept { return engine_.block_size(); }
  const BlockKernel& one() const noexcept { return engine_.one(); }
  // Returns the engine under the present key, ready for one request of num_blocks. Kernels prepare a key on first
  // use, so that a key for little data costs little.
  const BlockEngine& for_blocks(size_t num_blocks) noexcept {
    engine_.prepare_for(num_blocks, key_);
    return engine_;
  }
  void set_key(const keys::CipherKey& key) noexcept;
  void change_key(const uint8_t* key) noexcept;  // 32 bytes

 private:
  keys::CipherKey key_;
  BlockEngine engine_;
};

}  // namespace vsh::modes
