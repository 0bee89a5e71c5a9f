#include "modes/changing_cipher.hpp"

#include <cstring>

#include "core/wipe.hpp"

namespace vsh::modes {

CipherKey::CipherKey(Algorithm algorithm, const void* round_keys) noexcept : algorithm_(algorithm) {
  const bool is_kuznyechik = algorithm == Algorithm::kuznyechik;
  std::memcpy(&keys_, round_keys, is_kuznyechik ? sizeof keys_.kuznyechik : sizeof keys_.magma);
}

CipherKey::~CipherKey() { wipe(&keys_, sizeof keys_); }

void CipherKey::change(const uint8_t* key, const BlockKernel& row) noexcept {
  if (algorithm_ == Algorithm::kuznyechik) return kuznyechik::expand_key_by(&row, keys_.kuznyechik, key);
  magma::change_key(keys_.magma, key);
}

ChangingCipher::ChangingCipher(const BlockChoice& kernels, const CipherKey& key) : key_(key), engine_(kernels) {}

void ChangingCipher::set_key(const CipherKey& key) noexcept {
  key_ = key;
  engine_.drop_key();
}

void ChangingCipher::change_key(const uint8_t* key) noexcept {
  key_.change(key, engine_.one());
  engine_.drop_key();
}

}  // namespace vsh::modes
