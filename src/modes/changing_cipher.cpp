#include "modes/changing_cipher.hpp"

namespace vsh::modes {

ChangingCipher::ChangingCipher(const BlockChoice& kernels, const keys::CipherKey& key) : key_(key), engine_(kernels) {}

void ChangingCipher::set_key(const keys::CipherKey& key) noexcept {
  key_ = key;
  engine_.drop_key();
}

void ChangingCipher::change_key(const uint8_t* key) noexcept {
  key_.change(key, &engine_.one());
  engine_.drop_key();
}

}  // namespace vsh::modes
